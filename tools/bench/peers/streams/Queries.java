import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.TimeWindows;

/** The queries, in the words of Kafka Streams. Windows go by the times of the records, which are those of the events. */
final class Queries {
    record Person(long id, String name, String city, String state) {}

    record Auction(long id, String itemName, String description, long initialBid, long reserve, String dateTime,
        String expires, long seller, long category) {}

    record Bid(long auction, long bidder, long price, String channel, String url, String dateTime, String extra) {}

    record Update(long id, String grp, long amount) {}

    record Passed(long auction, long bidder, long price, String dateTime, String extra) {}

    record Converted(long auction, long bidder, BigDecimal price, String dateTime, String extra) {}

    record Selected(long auction, long price) {}

    record Seller(String name, String city, String state, long id) {}

    record Final(long category, long price) {}

    record Mean(long category, double average, long count, double sum) {}

    record Highest(List<Row> rows) {
        record Row(long auction, long price, long bidder, String dateTime, String extra) {}
    }

    record InWindow(long bidder, long bid_count, String starttime, String endtime) {}

    record Newcomer(long id, String name, String starttime) {}

    record Day(long auction, String day, long total_bids, long rank1_bids, long rank2_bids, long rank3_bids,
        long min_price, long max_price, double avg_price, long sum_price) {}

    record Bought(long auction, long bidder, long price, String channel, String url, String dateTime, String extra,
        String itemName, String description, long initialBid, long reserve, String auctionTime, String expires,
        long seller, long category) {}

    record Group(String grp, long n) {}

    record Order(String country) {}

    record Count(long n) {}

    private static final Duration TEN = Duration.ofSeconds(10);
    /** Partitions are read at different speeds, and nothing is to be left out as late. */
    private static final Duration GRACE = Duration.ofDays(1);
    private static final TimeWindows TUMBLING = TimeWindows.ofSizeAndGrace(TEN, GRACE);
    private static final Serde<Long> LONG = Serdes.Long();
    private static final Serde<String> STRING = Serdes.String();
    private static final BigDecimal RATE = new BigDecimal("0.908");

    private final StreamsBuilder builder = new StreamsBuilder();

    static Topology topology(String query, String output) {
        Queries queries = new Queries();
        switch (query) {
            case "q00" -> queries.passed(output);
            case "q01" -> queries.converted(output);
            case "q02" -> queries.selected(output);
            case "q03" -> queries.sellers(output);
            case "q04" -> queries.means(output);
            case "q07" -> queries.highest(output);
            case "q08" -> queries.newcomers(output);
            case "q11" -> queries.sessions(output);
            case "q12" -> queries.windows(output);
            case "q17" -> queries.days(output);
            case "q20" -> queries.bought(output);
            case "table_by_group" -> queries.groups(output);
            case "orders_by_country" -> queries.countries(output);
            default -> throw new IllegalArgumentException(query);
        }
        return queries.builder.build();
    }

    private KStream<Long, Bid> bids() {
        return builder.stream("bid", Consumed.with(LONG, Json.of(Bid.class)));
    }

    private KTable<Long, Auction> auctions() {
        return builder.table("auction", Consumed.with(LONG, Json.of(Auction.class)));
    }

    private void passed(String output) {
        bids().mapValues(b -> new Passed(b.auction, b.bidder, b.price, b.dateTime, b.extra))
            .to(output, Produced.with(LONG, Json.of(Passed.class)));
    }

    private void converted(String output) {
        bids()
            .mapValues(b -> new Converted(b.auction, b.bidder, RATE.multiply(BigDecimal.valueOf(b.price)), b.dateTime, b.extra))
            .to(output, Produced.with(LONG, Json.of(Converted.class)));
    }

    private void selected(String output) {
        bids().filter((key, b) -> b.auction % 123 == 0).mapValues(b -> new Selected(b.auction, b.price))
            .to(output, Produced.with(LONG, Json.of(Selected.class)));
    }

    private void sellers(String output) {
        KTable<Long, Person> persons = builder.table("person", Consumed.with(LONG, Json.of(Person.class)))
            .filter((id, p) -> Set.of("OR", "ID", "CA").contains(p.state));
        auctions().filter((id, a) -> a.category == 10)
            .join(persons, a -> a.seller, (a, p) -> new Seller(p.name, p.city, p.state, a.id),
                Materialized.with(LONG, Json.of(Seller.class)))
            .toStream().to(output, Produced.with(LONG, Json.of(Seller.class)));
    }

    private void means(String output) {
        Serde<Final> finals = Json.of(Final.class);
        Serde<Mean> mean = Json.of(Mean.class);
        bids().selectKey((number, b) -> b.auction)
            .join(auctions(),
                (b, a) -> isInTime(b, a) ? new Final(a.category, b.price) : null,
                Joined.with(LONG, Json.of(Bid.class), Json.of(Auction.class)))
            .filter((auction, offer) -> offer != null)
            .groupByKey(Grouped.with(LONG, finals))
            .reduce((one, other) -> one.price >= other.price ? one : other)
            .groupBy((auction, highest) -> KeyValue.pair(highest.category, highest), Grouped.with(LONG, finals))
            .aggregate(() -> new Mean(0, 0, 0, 0),
                (category, f, m) -> mean(category, m.count + 1, m.sum + f.price),
                (category, f, m) -> mean(category, m.count - 1, m.sum - f.price),
                Materialized.with(LONG, mean))
            .toStream().filter((category, m) -> m.count > 0).to(output, Produced.with(LONG, mean));
    }

    private static boolean isInTime(Bid bid, Auction auction) {
        Instant at = Instant.parse(bid.dateTime);
        return !at.isBefore(Instant.parse(auction.dateTime)) && !at.isAfter(Instant.parse(auction.expires));
    }

    private static Mean mean(long category, long count, double sum) {
        return new Mean(category, count == 0 ? 0 : sum / count, count, sum);
    }

    private void highest(String output) {
        Serde<Highest> serde = Json.of(Highest.class);
        bids().groupBy((number, b) -> 0L, Grouped.with(LONG, Json.of(Bid.class)))
            .windowedBy(TUMBLING)
            .aggregate(() -> new Highest(List.of()), (all, b, h) -> higher(h, b), Materialized.with(LONG, serde))
            .toStream((window, h) -> window.window().start())
            .to(output, Produced.with(LONG, serde));
    }

    private static Highest higher(Highest so, Bid bid) {
        long price = so.rows.isEmpty() ? Long.MIN_VALUE : so.rows.get(0).price;
        if (bid.price < price) {
            return so;
        }
        List<Highest.Row> rows = new ArrayList<>(bid.price == price ? so.rows : List.of());
        rows.add(new Highest.Row(bid.auction, bid.price, bid.bidder, bid.dateTime, bid.extra));
        return new Highest(rows);
    }

    private void newcomers(String output) {
        Serde<Person> person = Json.of(Person.class);
        Serde<Newcomer> newcomer = Json.of(Newcomer.class);
        var came = builder.stream("person", Consumed.with(LONG, person))
            .groupByKey(Grouped.with(LONG, person)).windowedBy(TUMBLING).reduce((one, other) -> other);
        builder.stream("auction", Consumed.with(LONG, Json.of(Auction.class)))
            .groupBy((id, a) -> a.seller, Grouped.with(LONG, Json.of(Auction.class))).windowedBy(TUMBLING).count()
            .join(came, (n, p) -> p)
            .toStream()
            .map((window, p) -> KeyValue.pair(key(window.key(), window.window().start()),
                p == null ? null : new Newcomer(p.id, p.name, time(window.window().start()))))
            .to(output, Produced.with(STRING, newcomer));
    }

    private void sessions(String output) {
        // Kafka Streams joins sessions that are as far apart as the gap is long.
        Serde<InWindow> serde = Json.of(InWindow.class);
        bids().groupBy((number, b) -> b.bidder, Grouped.with(LONG, Json.of(Bid.class)))
            .windowedBy(SessionWindows.ofInactivityGapAndGrace(TEN.minusMillis(1), GRACE))
            .count()
            .toStream()
            .map((session, n) -> KeyValue.pair(
                session.key() + " " + session.window().start() + " " + session.window().end(),
                n == null ? null : new InWindow(session.key(), n, time(session.window().start()),
                    time(session.window().end() + TEN.toMillis()))))
            .to(output, Produced.with(STRING, serde));
    }

    private void windows(String output) {
        bids().groupBy((number, b) -> b.bidder, Grouped.with(LONG, Json.of(Bid.class)))
            .windowedBy(TUMBLING)
            .count()
            .toStream()
            .map((window, n) -> KeyValue.pair(key(window.key(), window.window().start()),
                new InWindow(window.key(), n, time(window.window().start()), time(window.window().end()))))
            .to(output, Produced.with(STRING, Json.of(InWindow.class)));
    }

    private void days(String output) {
        Serde<Day> serde = Json.of(Day.class);
        bids().groupBy((number, b) -> b.auction + " " + b.dateTime.substring(0, 10),
                Grouped.with(STRING, Json.of(Bid.class)))
            .aggregate(() -> new Day(0, "", 0, 0, 0, 0, Long.MAX_VALUE, Long.MIN_VALUE, 0, 0),
                (group, b, d) -> more(d, b), Materialized.with(STRING, serde))
            .toStream().to(output, Produced.with(STRING, serde));
    }

    private static Day more(Day so, Bid b) {
        long total = so.total_bids + 1, sum = so.sum_price + b.price;
        return new Day(b.auction, b.dateTime.substring(0, 10), total,
            so.rank1_bids + (b.price < 10_000 ? 1 : 0),
            so.rank2_bids + (b.price >= 10_000 && b.price < 1_000_000 ? 1 : 0),
            so.rank3_bids + (b.price >= 1_000_000 ? 1 : 0),
            Math.min(so.min_price, b.price), Math.max(so.max_price, b.price), (double) sum / total, sum);
    }

    private void bought(String output) {
        Serde<Bought> serde = Json.of(Bought.class);
        bids().selectKey((number, b) -> b.auction)
            .join(auctions().filter((id, a) -> a.category == 10),
                (b, a) -> new Bought(b.auction, b.bidder, b.price, b.channel, b.url, b.dateTime, b.extra, a.itemName,
                    a.description, a.initialBid, a.reserve, a.dateTime, a.expires, a.seller, a.category),
                Joined.with(LONG, Json.of(Bid.class), Json.of(Auction.class)))
            // A row for each bid: several have the same auction.
            .selectKey((auction, row) -> (Long) null)
            .to(output, Produced.with(LONG, serde));
    }

    private void groups(String output) {
        Serde<Update> update = Json.of(Update.class);
        builder.table("updates", Consumed.with(LONG, update))
            .groupBy((id, u) -> KeyValue.pair(u.grp, u), Grouped.with(STRING, update))
            .count()
            // A group that has lost its last row stays, with 0, unless it is taken out.
            .filter((grp, n) -> n > 0)
            .mapValues((grp, n) -> new Group(grp, n))
            .toStream()
            .to(output, Produced.with(STRING, Json.of(Group.class)));
    }

    /** The TABLE of `python -m tools.bench kafka`. */
    private void countries(String output) {
        Serde<Order> order = Json.of(Order.class);
        builder.table("orders", Consumed.with(STRING, order))
            .groupBy((id, o) -> KeyValue.pair(o.country, o), Grouped.with(STRING, order))
            .count()
            .filter((country, n) -> n > 0)
            .mapValues(Count::new)
            .toStream()
            .to(output, Produced.with(STRING, Json.of(Count.class)));
    }

    private static String key(long id, long start) {
        return id + " " + start;
    }

    private static String time(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
