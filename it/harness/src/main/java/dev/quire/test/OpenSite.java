package dev.quire.test;

import dev.quire.test.internal.Assembled;
import dev.quire.test.internal.Surrogate;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.TestClock;
import dev.quire.test.wire.internal.TestLine;
import java.net.HttpCookie;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state shared by all views of one site: the application, the assembler, started with the first
 * page, the clock, and the cookies of its readers. Thread-safe; pages are requested one at a time,
 * because all requests that reach the application meanwhile are attributed to that page.
 */
final class OpenSite implements AutoCloseable {
    /** The longest time that {@link #close} waits for a page in progress. */
    private static final Duration LAST_PAGE = Duration.ofSeconds(2);

    private final RecordedApplication application;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Map<String, String>> cookies = new LinkedHashMap<>();
    private final Set<String> loggedIn = new HashSet<>();
    private final List<Page> pages = new ArrayList<>();
    private final Map<EsiSite, String> checks = new ConcurrentHashMap<>();
    private Assembling assembling;
    private TestClock clock = TestClock.handSetBeforeRealServers();
    private volatile @Nullable Surrogate surrogate;
    private volatile boolean closed;
    private final String opened = TestLine.here();
    private @Nullable String started;

    OpenSite(Application application, Assembling assembling) {
        this.application = new RecordedApplication(application);
        this.assembling = assembling;
        clock.connect(this);
    }

    RecordedApplication application() {
        return application;
    }

    TestClock clock() {
        return clock;
    }

    /**
     * Sets the assembler.
     *
     * @throws AssertionError if a page was already requested
     */
    void assembledBy(Assembling other) {
        requireNotStarted("assembledBy(...)");
        assembling = other;
    }

    /**
     * Sets the clock.
     *
     * @throws AssertionError if a page was already requested
     */
    void at(TestClock other) {
        requireNotStarted("at(clock)");
        clock.disconnect(
                this,
                "the site uses another clock since %s (advance that one: site.clock())"
                        .formatted(TestLine.here()));
        clock = other;
        clock.connect(this);
    }

    /** The assembler; a purge may call this while a page is requested. */
    Surrogate surrogate() {
        var running = surrogate;
        if (running != null && !closed) {
            return running;
        }
        lock.lock();
        try {
            running = surrogate;
            if (closed) {
                throw new AssertionError(
                        "the site is closed (send requests before close(), or open another site)");
            }
            if (running == null) {
                running = started();
                surrogate = running;
                started = TestLine.here();
                if (!running.hasCache()) {
                    clock.disconnect(
                            this,
                            "%s does not cache (open the site with assembledBy(Assembling.PROXY))"
                                    .formatted(running.name()));
                }
            }
            return running;
        } finally {
            lock.unlock();
        }
    }

    private Surrogate started() {
        try {
            return assembling.start(application, clock);
        } catch (RuntimeException | AssertionError cannot) {
            throw new AssertionError(
                    "the site did not start: %s%n(opened at %s: choose there how its pages are assembled)"
                            .formatted(cannot.getMessage(), opened),
                    cannot);
        }
    }

    /** Requests a page as {@code user}, who is logged in first if necessary. */
    Page ask(EsiSite view, Request request, Faults faults) {
        var running = surrogate();
        lock.lock();
        try {
            var start = startPage();
            var usual = application.faults(faults);
            try {
                var assembled = running.ask(request);
                keepCookies(view.user(), assembled.response().fields().all("Set-Cookie"));
                return addPage(view, running, request, assembled, start);
            } finally {
                application.faults(usual);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The start of a page request.
     *
     * @param at on the clock of the site
     * @param begun since the site was opened
     * @param requests the number of earlier requests to the application
     */
    record PageStart(Instant at, Duration begun, int requests) {}

    PageStart startPage() {
        return new PageStart(clock.shown(), application.now(), application.count());
    }

    Page addPage(
            EsiSite view, Surrogate by, Request request, Assembled assembled, PageStart start) {
        var page =
                new Page(
                        view,
                        request,
                        assembled.response(),
                        new AssemblyTrace(
                                by.name(),
                                view.user(),
                                view.faults(),
                                start,
                                request,
                                assembled.parts(),
                                application.since(start.requests())));
        locked(() -> pages.add(page));
        return page;
    }

    /** Returns true once, if {@code user} has still to log in. */
    boolean mustLogIn(User user) {
        return locked(() -> !user.login().equals(User.Login.NONE) && loggedIn.add(user.name()));
    }

    Map<String, String> cookies(User user) {
        return locked(() -> Map.copyOf(cookies.getOrDefault(user.name(), Map.of())));
    }

    /** Ends the session of {@code user}: the next request logs in again. */
    void forget(User user) {
        lock.lock();
        try {
            cookies.remove(user.name());
            loggedIn.remove(user.name());
        } finally {
            lock.unlock();
        }
    }

    /** Stores the cookies that {@code lines} of Set-Cookie set for {@code user}. */
    void keepCookies(User user, List<String> lines) {
        lock.lock();
        try {
            var jar = cookies.computeIfAbsent(user.name(), name -> new LinkedHashMap<>());
            for (var line : lines) {
                for (var cookie : HttpCookie.parse("Set-Cookie: " + line)) {
                    if (cookie.hasExpired() || cookie.getMaxAge() == 0) {
                        jar.remove(cookie.getName());
                    } else {
                        jar.put(cookie.getName(), cookie.getValue());
                    }
                }
            }
        } finally {
            lock.unlock();
        }
    }

    List<Page> pages() {
        return locked(() -> List.copyOf(pages));
    }

    /** Empties the cache, and clears logins and requests. */
    void reset() {
        lock.lock();
        try {
            close(surrogate);
            surrogate = null;
            started = null;
            cookies.clear();
            loggedIn.clear();
            pages.clear();
            application.forget();
            clock.restart(this);
            clock.connect(this);
        } finally {
            lock.unlock();
        }
    }

    /** Ends delays, so that pages in progress complete or fail at once. */
    @Override
    public void close() {
        closed = true;
        application.hurry();
        boolean isQuiet = awaitPage();
        try {
            close(surrogate);
        } finally {
            if (isQuiet) {
                lock.unlock();
            }
            application.close();
        }
        requireFinished();
    }

    /** Records that the check of {@code view} has begun here. */
    void begin(EsiSite view) {
        checks.put(view, TestLine.here());
    }

    void finish(EsiSite view) {
        checks.remove(view);
    }

    void requireFinished() {
        var begun = Set.copyOf(checks.values());
        checks.clear();
        if (!begun.isEmpty()) {
            throw new AssertionError(
                    "LeakDetector.check(...) at %s has checked nothing (expected a last call: allPublicFragments(), fragmentsOf(...) or paths(...))"
                            .formatted(String.join(", ", begun)));
        }
    }

    /** Waits briefly for the page in progress; returns whether the lock is held. */
    private boolean awaitPage() {
        try {
            return lock.tryLock(LAST_PAGE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private <T> T locked(Supplier<T> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            lock.unlock();
        }
    }

    private static void close(@Nullable Surrogate running) {
        if (running != null) {
            running.close();
        }
    }

    private void requireNotStarted(String what) {
        if (locked(() -> surrogate != null)) {
            throw new AssertionError(
                    "%s comes too late: the site was already used at %s (call it before that line, where the site is opened)"
                            .formatted(what, started));
        }
    }
}
