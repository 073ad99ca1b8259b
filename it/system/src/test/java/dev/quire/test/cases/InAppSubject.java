package dev.quire.test.cases;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Response;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/**
 * An application on Tomcat that answers like the case's origin, without a surrogate: the starter
 * assembles. One instance serves all cases with the default configuration; at most one other runs
 * at a time, with the configuration requested last.
 */
final class InAppSubject implements Subject {

    /** The properties of the starter by the keys of the proxy's configuration. */
    static final Map<String, String> PROPERTIES =
            Map.of(
                    "content-types", "quire.content-types",
                    "on-error", "quire.fallback.on-error",
                    "max-includes", "quire.fallback.max-includes",
                    "denied-cookies", "quire.fallback.denied-cookies",
                    "decode-query", "quire.fallback.decode-query",
                    "variables", "quire.fallback.variables");

    private final String mode;
    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private volatile @Nullable Play play;
    private @Nullable Configured standard;
    private @Nullable Configured special;
    private @Nullable Configured current;

    /**
     * Creates a subject whose application is started on first use.
     *
     * @param mode how it fetches fragments, a value of {@code quire.fallback.mode}
     */
    InAppSubject(String mode) {
        this.mode = mode;
    }

    /** The data for the handlers' answers. */
    private record Play(Case one, Run run) {}

    private record Configured(
            Map<String, String> settings, ConfigurableApplicationContext application) {

        InetSocketAddress address() {
            var server = ((WebServerApplicationContext) application).getWebServer();
            return new InetSocketAddress(
                    InetAddress.getLoopbackAddress(),
                    Objects.requireNonNull(server, "the application serves").getPort());
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    @Override
    public void begin(Case one, Run run) {
        current = applicationFor(one.config().settings());
        play = new Play(one, run);
        seen.clear();
    }

    @Override
    public Response ask(ClientRequest request) {
        return CaseClient.ask(
                Objects.requireNonNull(current, "no run has begun").address(), request);
    }

    @Override
    public List<Seen> seen() {
        return List.copyOf(seen);
    }

    @Override
    public void end() {
        play = null;
    }

    @Override
    public void close() {
        if (standard != null) {
            standard.application().close();
        }
        if (special != null) {
            special.application().close();
        }
    }

    private Configured applicationFor(Map<String, String> settings) {
        if (settings.isEmpty()) {
            if (standard == null) {
                standard = start(settings);
            }
            return standard;
        }
        if (special == null || !special.settings().equals(settings)) {
            if (special != null) {
                special.application().close();
                special = null;
            }
            special = start(settings);
        }
        return special;
    }

    private Configured start(Map<String, String> settings) {
        var application = new SpringApplication(Application.class);
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        application.addInitializers(context ->
                ((GenericApplicationContext) context)
                        .registerBean(
                                SimpleUrlHandlerMapping.class,
                                () -> new SimpleUrlHandlerMapping(handlers(), 1)));
        var json =
                settings.entrySet().stream()
                        .map(setting ->
                                "\"%s\":%s"
                                        .formatted(
                                                PROPERTIES.get(setting.getKey()),
                                                setting.getValue()))
                        .collect(Collectors.joining(",", "{", "}"));
        return new Configured(
                settings,
                application.run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--quire.stamp.enabled=false",
                        "--quire.fallback.mode=" + mode,
                        "--spring.application.json=" + json));
    }

    private Map<String, HttpRequestHandler> handlers() {
        return Map.of("/**", this::answer);
    }

    private void answer(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        var playing = Objects.requireNonNull(play, "no run has begun");
        var asked = received(request);
        seen.add(asked);
        var said = playing.one().answerTo(asked.authority(), asked.target());
        if (said == null) {
            response.setStatus(404);
            return;
        }
        LockSupport.parkNanos(said.delay().toNanos());
        response.setStatus(said.status());
        said.fields().forEach(response::addHeader);
        var body = said.body().bytes();
        int piece =
                playing.run() instanceof Run.Pieces(int bytes) ? bytes : Math.max(1, body.length);
        for (int at = 0; at < body.length; at += piece) {
            response.getOutputStream().write(body, at, Math.min(piece, body.length - at));
        }
    }

    private static Seen received(HttpServletRequest request) throws IOException {
        var fields = new Fields.Builder();
        for (var name : Collections.list(request.getHeaderNames())) {
            Collections.list(request.getHeaders(name)).forEach(value -> fields.add(name, value));
        }
        var query = request.getQueryString();
        return new Seen(
                request.getMethod(),
                request.getHeader("Host"),
                query == null ? request.getRequestURI() : request.getRequestURI() + "?" + query,
                fields.build(),
                Content.of(request.getInputStream().readAllBytes()));
    }
}
