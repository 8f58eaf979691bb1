/**
 * The endpoints with pending deliveries, for `with recursive`: one index entry each, however many deliveries wait. The last
 * row is null.
 */
export const WAITING_ENDPOINTS = `waiting (endpoint_id) as (
      (select endpoint_id from deliveries where state = 'pending' order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from deliveries d
               where d.state = 'pending' and d.endpoint_id > waiting.endpoint_id order by d.endpoint_id limit 1)
        from waiting where waiting.endpoint_id is not null
    )`;
