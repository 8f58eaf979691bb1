/** What a program does in a shop, whichever it is. */
export interface Shop extends AsyncDisposable {
  /** With its version, as it was installed. */
  name: string;
  /** The state of an order that is paid. */
  paid: string;
  /** Whether its refunds wait until the money has been returned. */
  refundsWait: boolean;
  /** Where the service posts events. */
  webhooks: string;
  /** Whether it has a place for what a person should look at, and for refunds that begin in the service. */
  hasNotes: boolean;
  /** How long after an event it is handled. */
  handlesAfterMs: number;
  /** A customer with one fern for 49.00 USD in their cart, who is about to pay. */
  newOrder(): Promise<ShopOrder>;
  /** Runs what the shop runs on a schedule. */
  ask?(): Promise<void>;
  /** Deletes an order that is not paid, as the shop itself does. */
  delete?(order: ShopOrder): Promise<void>;
  /** Ends the shop's process at once, and starts it again. */
  kill(): Promise<void>;
  /** Whether its process has ended by itself. */
  hasEnded(): boolean;
}

export interface ShopOrder {
  /** The shop's own id, where it has one for an order that is not paid. */
  id?: string;
  code: string;
  /** What a checkout of the order has in its metadata, for made-up payments. */
  metadata: Record<string, string>;
  /** The customer chooses our provider. Returns where they are sent. */
  checkout(): Promise<{ session: string; url: string }>;
  /** The customer comes back from the checkout. Returns where they end. */
  comeBack(): Promise<string>;
  /** The customer goes back to the cart, and takes two. */
  change(): Promise<void>;
  payOtherwise(): Promise<void>;
  /** The customer chooses our provider with data of their own, and orders before it has answered. Whether they can. */
  forge?(data: object): Promise<boolean>;
  /** The merchant cancels the order, where there is one. */
  cancel(): Promise<void>;
  /** The merchant refunds in the shop's own admin. Returns the id of our refund, and the link for the customer. */
  refund(amount: string, reason: string): Promise<{ id: string; link: string }>;
  read(): Promise<OrderState>;
}

export interface OrderState {
  state: string;
  /** Each payment that our provider captured. */
  captures: string[];
  refunds: { amount: string; state: string; id: string }[];
  /** What a person was asked to look at. */
  notes: string[];
}
