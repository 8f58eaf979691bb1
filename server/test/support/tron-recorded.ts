/**
 * Answers of Nile as java-tron's documentation captured them (tronprotocol/documentation-en at 8f3209ef), without what
 * is not read.
 */
export const ANSWERS = (() => {
  const place = {
    blockHash: '0x0000000003fe1ca05cf728c92ee79f5f2758c3e4e4ea88501826726880e8b81c',
    blockNumber: '0x3fe1ca0',
    transactionIndex: '0x0',
  };
  const transactionHash = '0x01b4cde4197b9d1a1ff09ef5d2b1d939d3ec2401b3f002ebd0802c0f30a6e4ca';
  const [from, to] = ['0xdd791d6b49e190062d650e6a23c575510d35f2f9', '0x9ff8fc48fb114ccd5bbdc24a86f0c73082f08825'];
  const log = {
    address: to,
    ...place,
    blockTimestamp: '0x697999ef',
    transactionHash,
    logIndex: '0x0',
    removed: false,
    topics: [
      '0xc66625d03b4a832d8245f0df593e32e0fbbbad96d4aa45440aa1535b80983083',
      '0x000000000000000000000000dd791d6b49e190062d650e6a23c575510d35f2f9',
      '0x0000000000000000000000000000000000000000000000000000000000000007',
    ],
    data: '0x',
  };
  return {
    log,
    block: {
      number: '0x3fe1c00',
      hash: '0x0000000003fe1c00462b498ddae67717e96c785078adb5ccb7279148916e6f97',
      parentHash: '0x0000000003fe1bff062fa008dcd68f6ab2a96a25bc175df22a04baa0cd391573',
      miner: '0xa234e405a2c6fd67cdd4d0ea2f6188f65534c8b1',
      timestamp: '0x69f18a5c',
      stateRoot: '0x',
      transactions: ['0x95aad4dfc3d5d389291c093425d06b2ce5a97b5b4953645316371158ebde3f27'],
      gasLimit: '0x0',
      extraData: '0x',
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x0',
    },
    receipt: {
      ...place,
      transactionHash,
      from,
      to,
      cumulativeGasUsed: '0xae29',
      gasUsed: '0xae29',
      effectiveGasPrice: '0x64',
      contractAddress: null,
      logs: [log],
      status: '0x1',
      type: '0x0',
    },
    transaction: {
      ...place,
      hash: transactionHash,
      from,
      to,
      value: '0x0',
      gas: '0xae29',
      gasPrice: '0x64',
      input: '0xa6bd98ac',
      type: '0x0',
      nonce: '0x0000000000000000',
    },
  };
})();
