/** Where the metadata of a payment holds the note that its customer wrote on the page of a payment link. */
export const NOTE_KEY = 'customer_note';
