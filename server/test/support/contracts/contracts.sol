// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// A plain six-decimals token that any address may mint: a dollar coin on a test chain.
contract TestToken {
    string public name;
    string public symbol;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
    }

    function decimals() public pure virtual returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        // A transfer of nothing needs no allowance: that is how addresses are poisoned.
        if (value > 0) {
            require(allowance[from][msg.sender] >= value, "allowance");
            allowance[from][msg.sender] -= value;
        }
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) internal virtual {
        require(balanceOf[from] >= value, "balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// A dollar coin with eighteen decimals, as it is pegged on BNB Chain.
contract PeggedToken is TestToken {
    constructor(string memory name_, string memory symbol_) TestToken(name_, symbol_) {}

    function decimals() public pure override returns (uint8) {
        return 18;
    }
}

/// A dollar coin whose transfers take a memo, as Tempo's do (TIP-20): it logs the transfer, and then once more with the memo.
contract MemoToken is TestToken {
    event TransferWithMemo(address indexed from, address indexed to, uint256 amount, bytes32 indexed memo);

    constructor(string memory name_, string memory symbol_) TestToken(name_, symbol_) {}

    function transferWithMemo(address to, uint256 amount, bytes32 memo) external {
        move(msg.sender, to, amount);
        emit TransferWithMemo(msg.sender, to, amount, memo);
    }

    function transferFromWithMemo(address from, address to, uint256 amount, bytes32 memo) external returns (bool) {
        require(allowance[from][msg.sender] >= amount, "allowance");
        allowance[from][msg.sender] -= amount;
        move(from, to, amount);
        emit TransferWithMemo(from, to, amount, memo);
        return true;
    }
}

/// Keeps one percent of every transfer; its log has the amount that arrived, its calldata the amount that was sent.
contract FeeToken is TestToken {
    constructor() TestToken("Fee Token", "USDT") {}

    function move(address from, address to, uint256 value) internal override {
        require(balanceOf[from] >= value, "balance");
        uint256 fee = value / 100;
        balanceOf[from] -= value;
        balanceOf[to] += value - fee;
        balanceOf[address(this)] += fee;
        emit Transfer(from, to, value - fee);
        emit Transfer(from, address(this), fee);
    }
}

/// Answers false instead of failing, in a transaction that succeeds.
contract FalseToken is TestToken {
    constructor() TestToken("False Token", "USDC") {}

    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// Says that money moved when none did; the symbol is borrowed.
contract LookAlikeToken {
    string public constant symbol = "USDC";
    uint8 public constant decimals = 6;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// A smart wallet without a lock: executes the given calls, all or none.
contract Batcher {
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    receive() external payable {}

    function execute(Call[] calldata calls) external payable {
        for (uint256 i; i < calls.length; i++) {
            (bool done, bytes memory answer) = calls[i].target.call{value: calls[i].value}(calls[i].data);
            if (!done) assembly { revert(add(answer, 32), mload(answer)) }
        }
    }

    /// Goes on where a call fails, so that a failed frame stands inside a successful transaction.
    function tryExecute(Call[] calldata calls) external payable {
        for (uint256 i; i < calls.length; i++) {
            (bool done,) = calls[i].target.call{value: calls[i].value}(calls[i].data);
            done;
        }
    }
}

/// Passes ether on: internal transfers without any log. Either by call, or all there is by destroying itself.
contract Forwarder {
    receive() external payable {}

    function forward(address payable to) external payable {
        (bool done,) = to.call{value: msg.value}("");
        require(done, "forward");
    }

    function forwardAndFail(address payable to) external payable {
        (bool done,) = to.call{value: msg.value}("");
        require(done, "forward");
        revert("after all");
    }

    function destroy(address payable to) external payable {
        selfdestruct(to);
    }
}

/// The one function of Multicall3 that reads balances, with the batch call around it.
contract Balances {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function getEthBalance(address account) external view returns (uint256) {
        return account.balance;
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i; i < calls.length; i++) {
            (bool done, bytes memory answer) = calls[i].target.call(calls[i].callData);
            require(done || calls[i].allowFailure, "call");
            results[i] = Result(done, answer);
        }
    }
}

/// A wallet that is a contract: it stands by what its owner signed (ERC-1271).
contract SmartWallet {
    address immutable owner;

    constructor(address theOwner) {
        owner = theOwner;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s, uint8 v) = (bytes32(signature[0:32]), bytes32(signature[32:64]), uint8(signature[64]));
        return ecrecover(hash, v, r, s) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// Makes such wallets at addresses that are known beforehand, so that one can sign before it is deployed (ERC-6492).
contract WalletFactory {
    function create(address owner, bytes32 salt) external returns (address) {
        return address(new SmartWallet{salt: salt}(owner));
    }
}

/// Pays a fixed recipient out of its own balance at any request: a split, a vesting schedule, a bridge.
contract Release {
    function release(TestToken token, address to, uint256 value) external {
        token.transfer(to, value);
    }
}

/// A wallet whose code lives elsewhere, as a Safe's does: it runs the code of a `Batcher` as its own.
contract ProxyWallet {
    address immutable code;

    constructor(address theCode) {
        code = theCode;
    }

    receive() external payable {}

    fallback() external payable {
        (bool done, bytes memory answer) = code.delegatecall(msg.data);
        if (!done) assembly { revert(add(answer, 32), mload(answer)) }
    }
}

/// Moves money that its owner has authorized by a signature; any address may submit it (EIP-3009).
contract AuthorizedToken is TestToken {
    mapping(bytes32 => bool) public isUsed;

    constructor() TestToken("Authorized Token", "USDC") {}

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s
    ) external {
        require(block.timestamp > validAfter && block.timestamp < validBefore, "time");
        require(!isUsed[nonce], "nonce");
        require(ecrecover(keccak256(abi.encode(from, to, value, validAfter, validBefore, nonce)), v, r, s) == from, "signature");
        isUsed[nonce] = true;
        move(from, to, value);
    }
}

/// Runs user operations without their checks: the calls, the form and the events of ERC-4337's entry points.
contract TestEntryPoint {
    struct UserOperation {
        address sender;
        uint256 nonce;
        bytes initCode;
        bytes callData;
        uint256 callGasLimit;
        uint256 verificationGasLimit;
        uint256 preVerificationGas;
        uint256 maxFeePerGas;
        uint256 maxPriorityFeePerGas;
        bytes paymasterAndData;
        bytes signature;
    }

    struct PackedUserOperation {
        address sender;
        uint256 nonce;
        bytes initCode;
        bytes callData;
        bytes32 accountGasLimits;
        uint256 preVerificationGas;
        bytes32 gasFees;
        bytes paymasterAndData;
        bytes signature;
    }

    event UserOperationEvent(
        bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed
    );

    function handleOps(UserOperation[] calldata ops, address payable) external {
        for (uint256 i; i < ops.length; i++) run(ops[i].sender, ops[i].nonce, ops[i].callData);
    }

    function handleOps(PackedUserOperation[] calldata ops, address payable) external {
        for (uint256 i; i < ops.length; i++) run(ops[i].sender, ops[i].nonce, ops[i].callData);
    }

    function run(address sender, uint256 nonce, bytes calldata callData) private {
        (bool done,) = sender.call(callData);
        emit UserOperationEvent(keccak256(abi.encode(sender, nonce)), sender, address(0), nonce, done, 0, 0);
    }
}

/// A dollar coin as its issuer deploys it: typed signatures (EIP-712), used and canceled authorizations by payer (EIP-3009).
contract DollarCoin is TestToken {
    string public constant version = "2";
    bytes32 public immutable DOMAIN_SEPARATOR;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    bytes32 private constant TRANSFER_TYPEHASH = 0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267;
    bytes32 private constant CANCEL_TYPEHASH = 0x158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a1597429;

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    struct Authorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    constructor() TestToken("USD Coin", "USDC") {
        DOMAIN_SEPARATOR = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("USD Coin"),
                keccak256("2"),
                block.chainid,
                address(this)
            )
        );
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s
    ) external {
        use(Authorization(from, to, value, validAfter, validBefore, nonce), v, r, s);
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes memory signature
    ) external {
        require(signature.length == 65, "invalid signature length");
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        use(Authorization(from, to, value, validAfter, validBefore, nonce), v, r, s);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        require(!authorizationState[authorizer][nonce], "authorization is used or canceled");
        require(signer(keccak256(abi.encode(CANCEL_TYPEHASH, authorizer, nonce)), v, r, s) == authorizer, "invalid signature");
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function use(Authorization memory one, uint8 v, bytes32 r, bytes32 s) private {
        require(block.timestamp > one.validAfter, "authorization is not yet valid");
        require(block.timestamp < one.validBefore, "authorization is expired");
        require(!authorizationState[one.from][one.nonce], "authorization is used or canceled");
        bytes32 digest = keccak256(abi.encode(TRANSFER_TYPEHASH, one.from, one.to, one.value, one.validAfter, one.validBefore, one.nonce));
        require(one.from != address(0) && signer(digest, v, r, s) == one.from, "invalid signature");
        authorizationState[one.from][one.nonce] = true;
        emit AuthorizationUsed(one.from, one.nonce);
        move(one.from, one.to, one.value);
    }

    function signer(bytes32 structHash, uint8 v, bytes32 r, bytes32 s) private view returns (address) {
        return ecrecover(keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR, structHash)), v, r, s);
    }
}
