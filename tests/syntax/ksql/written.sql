set 'ksql.a'='b'; -- tune
-- the orders
create stream  orders (id int key, item string, tags array<struct<a int,b map<string,array<int>>>>,
   size bigint, `key` decimal(4,2), amount int /* how many */) with (kafka_topic='orders',value_format='json');
create or replace stream if not exists o with(kafka_topic='o') as select id,item||'x' as y,-amount z, - -1, count(*) n,array[1,2][1],cast(amount as varchar(10)) c, struct(a:=1,b:=m['x']) s, transform(tags,x=>x->a+1) t, case when amount>1 and item='x' then 'a''b' else null end k, 1R, a.st->f->g, orders.* -- all
  from orders where (amount between 1 and 2 or item is not null) and item not like '%x' escape '!' and amount in (1,2,3) and item is distinct from 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'
  /* before grouping */ partition by item,id emit changes;
create table t as select item, windowstart as ws from orders window tumbling(size 30 seconds, retention 1 day, grace period 10 minutes) group by item having count(*)>1 emit final;
create stream j as select * from a left join b within (1 hour, 2 days) grace period 3 minutes on a.id=b.id full outer join c within 1 day on left(a.x, 2)=c.y;
insert into orders (id,item) values (1,'x'); insert into o select * from orders;
unset 'ksql.a'
