package dev.quire.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Histories of one site, drawn by number, lived through behind the assembler in memory and behind
 * the real proxy: readers with and without cookies, time that passes, purges, changes, answers that
 * fail. After each step both readers must have seen the same, and both applications been asked the
 * same.
 */
class SameAsTheProxyIT {
    private static final int HISTORIES = 48;
    private static final int STEPS = 30;

    /** The proxy as it is where all parts are there at once: what a head says is not by chance. */
    private static final Assembling PATIENT_PROXY =
            Assembling.proxy(setup -> setup.with("deliver", "{ first-flush: 10s }"));

    private static final List<String> TARGETS =
            List.of("/page", "/reusable", "/one", "/two", "/three", "/me", "/moved", "/nested");

    private static final List<String> TERMS =
            List.of(
                    "max-age=10",
                    "max-age=10+20",
                    "max-age=30+0",
                    "max-age=5, stale-if-error=60",
                    "no-store",
                    "private",
                    "max-age=20, no-cache",
                    "");

    /** What a reader can tell of a response. */
    private static final List<String> FIELDS =
            List.of(
                    "Content-Type",
                    "Cache-Control",
                    "Age",
                    "ETag",
                    "Last-Modified",
                    "Location",
                    "Set-Cookie",
                    "Surrogate-Control",
                    "X-Seen");

    /** What the application says of one target, the same to both. */
    private record Said(
            int version,
            int status,
            String control,
            boolean hasTag,
            boolean variesByLanguage,
            boolean setsCookie,
            boolean isDown) {

        Said drawn(Random random) {
            return switch (random.nextInt(8)) {
                case 0 -> with(random.nextBoolean() ? 503 : 404, false);
                case 1 -> with(200, true);
                case 2 ->
                        new Said(
                                version + 1,
                                200,
                                TERMS.get(random.nextInt(TERMS.size())),
                                random.nextBoolean(),
                                random.nextInt(4) == 0,
                                random.nextInt(8) == 0,
                                false);
                case 3 -> new Said(version, 200, control, !hasTag, variesByLanguage, false, false);
                default ->
                        new Said(
                                version + 1,
                                200,
                                control,
                                hasTag,
                                variesByLanguage,
                                setsCookie,
                                false);
            };
        }

        private Said with(int other, boolean down) {
            return new Said(version, other, control, hasTag, variesByLanguage, false, down);
        }
    }

    /** What is said of all targets, which only a step changes. */
    private static final class World {
        private final Map<String, Said> said = new TreeMap<>();

        World(Random random) {
            for (var target : TARGETS) {
                said.put(
                        target,
                        new Said(
                                1,
                                200,
                                TERMS.get(random.nextInt(TERMS.size())),
                                random.nextBoolean(),
                                random.nextInt(5) == 0,
                                false,
                                false));
            }
        }

        void change(String target, Random random) {
            said.computeIfPresent(target, (same, before) -> before.drawn(random));
        }

        Reply answer(Request request) {
            var now = said.get(request.target());
            if (now == null) {
                return InMemoryApplication.reply(404, "no " + request.target());
            }
            if (now.isDown()) {
                return new Reply.None("down");
            }
            var lines = new ArrayList<String>();
            if (!now.control().isEmpty()) {
                lines.addAll(List.of("Surrogate-Control", control(request.target(), now)));
            } else if (isDocument(request.target())) {
                lines.addAll(List.of("Surrogate-Control", "content=\"ESI/1.0\""));
            }
            if (request.target().equals("/reusable")) {
                lines.addAll(List.of("Cache-Control", "max-age=8"));
            }
            lines.addAll(List.of("Surrogate-Key", "all " + request.target().substring(1)));
            if (now.variesByLanguage()) {
                lines.addAll(List.of("Vary", "Accept-Language"));
            }
            if (now.setsCookie()) {
                lines.addAll(List.of("Set-Cookie", "seen=1"));
            }
            var tag = "\"" + request.target() + now.version() + language(request, now) + "\"";
            if (now.hasTag()) {
                lines.addAll(List.of("ETag", tag));
            }
            var fields = lines.toArray(String[]::new);
            if (request.method().equals("POST")) {
                return InMemoryApplication.reply(204, "", "Location", "/one");
            }
            if (now.status() != 200) {
                return InMemoryApplication.reply(now.status(), "error " + now.status());
            }
            if (tag.equals(request.field("If-None-Match"))) {
                return InMemoryApplication.reply(304, "", fields);
            }
            if (request.target().equals("/moved")) {
                lines.addAll(List.of("Location", "/two"));
                return InMemoryApplication.reply(302, "", lines.toArray(String[]::new));
            }
            var body = body(request, now);
            return InMemoryApplication.reply(
                    200, request.method().equals("HEAD") ? "" : body, fields);
        }

        private static boolean isDocument(String target) {
            return List.of("/page", "/reusable", "/nested").contains(target);
        }

        private static String control(String target, Said now) {
            return isDocument(target) ? now.control() + ", content=\"ESI/1.0\"" : now.control();
        }

        private static String language(Request request, Said now) {
            return now.variesByLanguage() ? String.valueOf(request.field("Accept-Language")) : "";
        }

        private static String body(Request request, Said now) {
            var own = request.target() + " " + now.version() + " " + language(request, now);
            return switch (request.target()) {
                case "/page" ->
                        own
                                + include("/one")
                                + include("/two")
                                + include("/me")
                                + "<esi:include src=\"/gone\" onerror=\"continue\"/>"
                                + "<esi:try><esi:attempt>"
                                + include("/three")
                                + "</esi:attempt><esi:except>instead</esi:except></esi:try>";
                case "/reusable" -> own + include("/one") + include("/nested");
                case "/nested" -> own + include("/three") + include("/moved") + include("/nested");
                case "/me" -> own + request.field("Cookie");
                default -> own;
            };
        }

        private static String include(String src) {
            return "<esi:include src=\"" + src + "\"/>";
        }
    }

    /** What one of the two has made of a step. */
    private record Seen(String reader, List<String> asked, @Nullable List<String> parts) {}

    /** One of the two, in front of an application of its own. */
    private static final class Side implements AutoCloseable {
        private final HandSetClock clock = TestClock.handSet();
        private final List<Request> requests = new ArrayList<>();
        private final Surrogate surrogate;

        Side(World world, Assembling assembling) {
            clock.connect(this);
            surrogate =
                    assembling.start(
                            new Application() {
                                @Override
                                public String authority() {
                                    return InMemoryApplication.AUTHORITY;
                                }

                                @Override
                                public Reply answer(Request request) {
                                    synchronized (requests) {
                                        requests.add(request);
                                    }
                                    return world.answer(request);
                                }
                            },
                            clock);
        }

        Seen ask(Request request) {
            var assembled = surrogate.ask(request);
            synchronized (requests) {
                var asked = requests.stream().map(Side::told).sorted().toList();
                requests.clear();
                return new Seen(
                        told(assembled.response()),
                        asked,
                        assembled.parts().map(Side::told).orElse(null));
            }
        }

        private static String told(Request request) {
            return request
                    + " "
                    + request.fields().all("Cookie")
                    + request.fields().all("If-None-Match")
                    + request.fields().all("Accept-Language")
                    + request.fields().all("X-ESI-Level");
        }

        private static String told(Response response) {
            var lines = new StringBuilder().append(response.status()).append('\n');
            for (var name : FIELDS) {
                response.fields()
                        .all(name)
                        .forEach(value ->
                                lines.append(name).append(": ").append(value).append('\n'));
            }
            response.fields().all("Vary").stream()
                    .flatMap(value -> Stream.of(value.toLowerCase(Locale.ROOT).split(", *")))
                    // Nothing is compressed in memory.
                    .filter(name -> !name.equals("accept-encoding"))
                    .sorted()
                    .forEach(name -> lines.append("Vary: ").append(name).append('\n'));
            return lines.append(response.text()).toString();
        }

        private static List<String> told(List<Part> parts) {
            return parts.stream()
                    .map(part ->
                            part.target()
                                    + " in "
                                    + part.parent()
                                    + " "
                                    + part.outcome()
                                    + " "
                                    + part.status()
                                    + " "
                                    + part.freshness()
                                            .map(kept -> kept.lifetime().toString())
                                            .orElse("not kept"))
                    .toList();
        }

        @Override
        public void close() {
            surrogate.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> histories() {
        return IntStream.rangeClosed(1, HISTORIES)
                .mapToObj(
                        number -> DynamicTest.dynamicTest("history " + number, () -> live(number)));
    }

    private static void live(int number) {
        var random = new Random(number);
        var world = new World(random);
        var history = new ArrayList<String>();
        try (var memory = new Side(world, MemorySurrogate::new);
                var proxy = new Side(world, PATIENT_PROXY)) {
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(10)) {
                    case 0, 1 -> {
                        var by = Duration.ofSeconds(1 + random.nextInt(12));
                        history.add("advance " + by);
                        memory.clock.advance(by);
                        proxy.clock.advance(by);
                    }
                    case 2 -> {
                        var target = drawn(TARGETS, random);
                        history.add("change " + target);
                        world.change(target, random);
                    }
                    case 3 -> {
                        var target = drawn(TARGETS, random);
                        boolean isByTag = random.nextBoolean();
                        history.add((isByTag ? "purge tag of " : "purge ") + target);
                        for (var side : List.of(memory, proxy)) {
                            if (isByTag) {
                                side.surrogate.purgeTags(target.substring(1));
                            } else {
                                side.surrogate.purge(target);
                            }
                        }
                    }
                    default -> {
                        var request = request(random);
                        history.add(Side.told(request));
                        var expected = proxy.ask(request);
                        assertThat(memory.ask(request))
                                .as("%s, now: %s", String.join("\n", history), world.said)
                                .isEqualTo(expected);
                    }
                }
            }
        }
    }

    private static Request request(Random random) {
        var fields = new Fields.Builder().add("Host", InMemoryApplication.AUTHORITY);
        fields.add("Accept-Language", random.nextBoolean() ? "de" : "en");
        if (random.nextInt(3) == 0) {
            fields.add("Cookie", "reader=" + random.nextInt(2));
        }
        if (random.nextInt(6) == 0) {
            fields.add("If-None-Match", "\"/one1\"");
        }
        var method =
                switch (random.nextInt(12)) {
                    case 0 -> "POST";
                    case 1 -> "HEAD";
                    default -> "GET";
                };
        var target = random.nextInt(2) == 0 ? "/page" : drawn(TARGETS, random);
        return new Request(method, target, fields.build(), Content.of("".getBytes(UTF_8)));
    }

    private static String drawn(List<String> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }
}
