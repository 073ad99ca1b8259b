package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.assemble.Loopback;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Fragments over HTTP from the application itself, on a server with few threads. */
@SpringBootTest(
        classes = LoopbackTest.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.stamp.enabled=false",
            "quire.fallback.mode=auto",
            "quire.fallback.buffer=40KB",
            "server.tomcat.threads.max=6",
            "server.forward-headers-strategy=native"
        })
class LoopbackTest {

    @LocalServerPort private int port;
    @Autowired private Pages pages;
    private Visitor client;

    @SpringBootConfiguration
    @EnableAutoConfiguration(
            exclude = {
                ServletWebSecurityAutoConfiguration.class,
                ManagementWebSecurityAutoConfiguration.class
            })
    @Import(Pages.class)
    static class Application {}

    @RestController
    static class Pages {

        final CyclicBarrier meeting = new CyclicBarrier(2);
        volatile CountDownLatch open = new CountDownLatch(1);
        volatile Thread ofPage = Thread.currentThread();

        @GetMapping(path = "/page", produces = Site.HTML)
        String page(@RequestParam String src, @RequestParam(defaultValue = "1") int times) {
            ofPage = Thread.currentThread();
            var page = new StringBuilder("[");
            for (int i = 0; i < times; i++) {
                page.append(Esi.include(src).onError(OnError.CONTINUE).toHtml());
            }
            return page.append(']').toString();
        }

        @GetMapping(path = "/hurried", produces = Site.HTML)
        String hurried(HttpServletResponse response) {
            response.setHeader("Surrogate-Control", "no-store, content=\"ESI/1.0\"");
            return "[<esi:include src=\"/held\" maxwait=\"100\" onerror=\"continue\"/>"
                    + "<esi:include src=\"/thread\"/>]";
        }

        @GetMapping(path = "/with-session", produces = Site.HTML)
        String withSession(HttpSession session) {
            session.setAttribute("word", "of the page");
            return Esi.include("/session").toHtml() + Esi.include("/session").toHtml();
        }

        @GetMapping("/meet")
        String meet() throws InterruptedException, BrokenBarrierException, TimeoutException {
            meeting.await(20, TimeUnit.SECONDS);
            return "met ";
        }

        @GetMapping("/thread")
        String thread() {
            return Thread.currentThread().equals(ofPage) ? "same " : "other ";
        }

        @GetMapping("/held")
        String held() throws InterruptedException {
            open.await(20, TimeUnit.SECONDS);
            return "late";
        }

        @GetMapping("/breaks-off")
        void breaksOff(HttpServletResponse response) throws IOException {
            response.setContentType("text/css");
            response.getOutputStream().write(new byte[50]);
            response.flushBuffer();
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/large")
        byte[] large(@RequestParam int bytes) {
            return new byte[bytes];
        }

        @GetMapping("/client")
        String client(HttpServletRequest request) {
            return "%s %s %s %s %s %s; "
                    .formatted(
                            request.getRequestURL(),
                            request.isSecure(),
                            request.getRemoteAddr(),
                            request.getHeader(Loopback.FIELD),
                            request.getHeader("X-ESI-Level"),
                            request.getHeader("Cookie"));
        }

        @GetMapping("/session")
        String session(HttpServletRequest request) {
            var session = request.getSession(false);
            return session == null ? "none " : session.getAttribute("word") + " ";
        }
    }

    @BeforeEach
    void comeWithoutSurrogate() {
        client = Visitor.of(port);
    }

    @AfterEach
    void letGo() {
        pages.open.countDown();
        pages.open = new CountDownLatch(1);
    }

    private String page(String src, int times) {
        return client.get("/page?src=" + src + "&times=" + times).body();
    }

    @Test
    void fragmentsAreFetchedSideBySide() {
        assertThat(page("/meet", 2)).isEqualTo("[met met ]");
    }

    @Test
    void aFragmentAloneIsDispatchedOnTheThreadOfItsPage() {
        assertThat(page("/thread", 1)).isEqualTo("[same ]");
        assertThat(page("/thread", 3)).isEqualTo("[other other other ]");
    }

    @Test
    void aFragmentThatTakesTooLongIsLeftBehind() {
        assertThat(client.get("/hurried").body()).isEqualTo("[other ]");
    }

    @Test
    void aFragmentThatBreaksOffIsLeftOut() {
        assertThat(page("/breaks-off", 2)).isEqualTo("[]");
    }

    @Test
    void fragmentsTogetherHoldNoMoreThanTheBuffer() {
        assertThat(page("/large?bytes=15000", 2)).hasSize(2 + 2 * 15000);
        assertThat(page("/large?bytes=15000", 4)).hasSize(2 + 2 * 15000);
        assertThat(page("/large?bytes=50000", 2)).isEqualTo("[]");
    }

    @Test
    void aFragmentSeesTheConnectionOfThePagesClient() {
        client =
                client.with("X-Forwarded-Proto", "https")
                        .with("X-Forwarded-Host", "news.example")
                        .with("X-Forwarded-For", "203.0.113.7")
                        .with("Cookie", "a=b");

        var seen = "https://news.example/client true 203.0.113.7 null 1 a=b; ";
        assertThat(page("/client", 2)).isEqualTo("[" + seen + seen + "]");
    }

    @Test
    void aSessionThatBeginsWithThePageIsItsFragmentsToo() {
        assertThat(client.get("/with-session").body()).isEqualTo("of the page of the page ");
    }

    @Test
    void nobodyElseCanAskAsWeDo() {
        var forged = client.with(Loopback.FIELD, "AAAAAAAAAAAAAAAAAAAAAA");

        assertThat(forged.get("/page?src=/session").body()).isEqualTo("[none ]");
        assertThat(forged.get("/client").body()).contains(" null null null");
    }

    @Test
    void morePagesThanThreadsAreAllWholeInTheEnd() throws Exception {
        var asked = new ArrayList<Callable<String>>();
        for (int i = 0; i < 60; i++) {
            asked.add(() -> page("/session", 5));
        }

        try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<String> page : readers.invokeAll(asked, 60, TimeUnit.SECONDS)) {
                assertThat(page.get()).isEqualTo("[none none none none none ]");
            }
        }
    }
}
