import type { Applied } from '@quittance/integrations/core';
import { type DeepPartial, EntityId, type ID, VendureEntity } from '@vendure/core';
import { Column, Entity, Index } from 'typeorm';

/** A checkout session of an order, and what was done for it. A table of its own, which the shop's migration makes. */
@Entity('quittance_session')
export class QuittanceSession extends VendureEntity {
  constructor(input?: DeepPartial<QuittanceSession>) {
    super(input);
  }

  @Index({ unique: true })
  @Column({ type: 'varchar', length: 64 })
  sessionId!: string;

  @Index()
  @EntityId()
  orderId!: ID;

  /** The code of the payment method that the customer chose. */
  @Column({ type: 'varchar' })
  method!: string;

  /** In cents. */
  @Column({ type: 'int' })
  amount!: number;

  @Column({ type: 'varchar', length: 3 })
  currency!: string;

  @Column({ type: 'varchar', length: 500 })
  checkoutUrl!: string;

  @Column({ type: Date, nullable: true })
  expiresAt!: Date | null;

  /** What `decide` returned for it; null until something was heard of it. */
  @Column({ type: 'simple-json', nullable: true })
  applied!: Applied | null;

  /** The shop still asks about it: it may be paid, or a refund of it is on its way. */
  @Index()
  @Column({ type: Boolean, default: true })
  isOpen!: boolean;
}
