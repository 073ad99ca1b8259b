package dev.quire.bench.cost;

import dev.quire.bench.BareServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The cost of one request on the event loops of the proxy, in figures that hardly depend on other
 * load on the machine: one is a count, the other a ratio of two servers in one JVM, measured in
 * turn.
 *
 * @param allocatedBytes on the heap
 * @param cpuRatio CPU time divided by that of a server that only writes prebuilt bytes; empty if
 *     that server cannot answer the request
 */
record Cost(double allocatedBytes, OptionalDouble cpuRatio) {
    private static final int WARM_UP = 24_000;

    /** The minimum over rounds is used: it contains the least of a loop's periodic work. */
    private static final int COUNTED_ROUNDS = 5;

    private static final int COUNTED_REQUESTS = 1_600;
    private static final int TIMED_ROUNDS = 15;
    private static final int TIMED_REQUESTS = 1_000;

    /**
     * Measures a kind of request; takes some seconds.
     *
     * @throws IOException if a response is wrong
     */
    static Cost of(Site site, Asked asked) throws IOException {
        try (var clients = Clients.of(site.address(asked), asked, site.body(asked), false)) {
            warmUp(site, clients);
            var loops = Loops.named(Site.LOOPS);
            double allocated = Double.MAX_VALUE;
            for (int i = 0; i < COUNTED_ROUNDS; i++) {
                site.forget();
                long before = loops.allocatedBytes();
                int requests = clients.ask(COUNTED_REQUESTS);
                double each = (double) (loops.allocatedBytes() - before) / requests;
                allocated = Math.min(allocated, each);
            }
            return new Cost(
                    allocated,
                    asked.isStored()
                            ? OptionalDouble.of(cpuRatio(asked, clients, loops))
                            : OptionalDouble.empty());
        }
    }

    /** Returns the figures by name. */
    Map<String, Double> figures() {
        var figures = new LinkedHashMap<String, Double>();
        figures.put("allocated-bytes", allocatedBytes);
        cpuRatio.ifPresent(value -> figures.put("cpu-ratio", value));
        return figures;
    }

    private static void warmUp(Site site, Clients clients) throws IOException {
        int asked = 0;
        while (asked < WARM_UP) {
            asked += clients.ask(COUNTED_REQUESTS);
            site.forget();
        }
    }

    /** Returns the median over rounds of the ratio of the proxy's CPU time to the bare server's. */
    private static double cpuRatio(Asked asked, Clients clients, Loops loops) throws IOException {
        var body = clients.body();
        var answer = new BareServer.Answer(200, fields(clients.head()), pieces(body, asked));
        try (var bare =
                        BareServer.start(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                target -> Optional.of(answer));
                var bareClients = Clients.bare(bare.address(), asked, body)) {
            bareClients.ask(WARM_UP);
            var bareLoops = Loops.named(BareServer.LOOPS);
            var ratios = new double[TIMED_ROUNDS];
            for (int i = 0; i < TIMED_ROUNDS; i++) {
                double bareNanos = nanos(bareClients, bareLoops);
                ratios[i] = nanos(clients, loops) / bareNanos;
            }
            Arrays.sort(ratios);
            return ratios[TIMED_ROUNDS / 2];
        }
    }

    private static double nanos(Clients clients, Loops loops) throws IOException {
        long before = loops.cpuNanos();
        int requests = clients.ask(TIMED_REQUESTS);
        return (double) (loops.cpuNanos() - before) / requests;
    }

    /** Returns the fields in {@code head} without Content-Length, which the server adds. */
    private static Map<String, String> fields(String head) {
        var fields = new LinkedHashMap<String, String>();
        head.lines()
                .skip(1)
                .map(line -> line.split(": ", 2))
                .filter(field -> !field[0].equalsIgnoreCase("Content-Length"))
                .forEach(field -> fields.put(field[0], field[1]));
        return fields;
    }

    /** Cuts {@code body} into as many pieces as the proxy has buffers for it. */
    private static List<byte[]> pieces(byte[] body, Asked asked) {
        var pieces = new ArrayList<byte[]>();
        for (int i = 0; i < asked.pieces(); i++) {
            int from = (int) ((long) body.length * i / asked.pieces());
            int to = (int) ((long) body.length * (i + 1) / asked.pieces());
            pieces.add(Arrays.copyOfRange(body, from, to));
        }
        return pieces;
    }
}
