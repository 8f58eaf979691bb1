<?php

// For projects without Composer: `require '…/autoload.php';`.
foreach (['errors', 'Money', 'Webhook', 'Receipt', 'Quittance'] as $file) {
    require_once __DIR__ . "/src/$file.php";
}
