package dev.quire.test;

import java.net.HttpCookie;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What all views of one site have in common: the application, what assembles its pages once the
 * first is asked for, the clock, and the cookies of its readers. Any thread; one page is asked for
 * at a time, because what reaches the application meanwhile is counted as that page's.
 */
final class OpenSite implements AutoCloseable {
    /** So long {@link #close} waits for a page that is being asked for. */
    private static final Duration LAST_PAGE = Duration.ofSeconds(2);

    private final RecordedApplication application;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Map<String, String>> cookies = new LinkedHashMap<>();
    private final Set<String> loggedIn = new HashSet<>();
    private final List<Page> pages = new ArrayList<>();
    private Assembling assembling;
    private HandSetClock clock = TestClock.handSetBeforeRealServers();
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

    HandSetClock clock() {
        return clock;
    }

    /**
     * Has pages assembled otherwise.
     *
     * @throws AssertionError if one has been asked for
     */
    void assembledBy(Assembling other) {
        requireNotStarted("assembledBy(...)");
        assembling = other;
    }

    /**
     * Lives by another clock.
     *
     * @throws AssertionError if a page has been asked for
     */
    void at(HandSetClock other) {
        requireNotStarted("at(clock)");
        clock.disconnect(
                this,
                "the site uses another clock since %s (advance that one: site.clock())"
                        .formatted(TestLine.here()));
        clock = other;
        clock.connect(this);
    }

    /** What assembles the pages; a purge may ask for it while a page is made. */
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

    /** Asks as {@code user} does, logging in before if that has not been done. */
    Page ask(EsiSite view, Request request, Faults faults) {
        var running = surrogate();
        lock.lock();
        try {
            var asking = asking();
            var usual = application.faults(faults);
            try {
                var assembled = running.ask(request);
                keepCookies(view.user(), assembled.response());
                return asked(view, running, request, assembled, asking);
            } finally {
                application.faults(usual);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The moment at which a page is asked for.
     *
     * @param at on the clock of the site
     * @param begun since the site was opened
     * @param requests how many had reached the application before
     */
    record Asking(Instant at, Duration begun, int requests) {}

    /** A page is asked for now. */
    Asking asking() {
        return new Asking(clock.shown(), application.now(), application.count());
    }

    /** A page that has come; one of {@link #pages} from now on. */
    Page asked(EsiSite view, Surrogate by, Request request, Assembled assembled, Asking asking) {
        var page =
                new Page(
                        view,
                        request,
                        assembled.response(),
                        new AssemblyTrace(
                                by.name(),
                                view.user(),
                                view.faults(),
                                asking.at(),
                                asking.begun(),
                                request,
                                assembled.parts(),
                                application.since(asking.requests())));
        lock.lock();
        try {
            pages.add(page);
        } finally {
            lock.unlock();
        }
        return page;
    }

    /** Whether {@code user} has still to log in; asked once. */
    boolean mustLogIn(User user) {
        lock.lock();
        try {
            return !user.login().equals(User.Login.NONE) && loggedIn.add(user.name());
        } finally {
            lock.unlock();
        }
    }

    Map<String, String> cookies(User user) {
        lock.lock();
        try {
            return Map.copyOf(cookies.getOrDefault(user.name(), Map.of()));
        } finally {
            lock.unlock();
        }
    }

    /** Forgets the session of {@code user}: the next request logs in anew. */
    void forget(User user) {
        lock.lock();
        try {
            cookies.remove(user.name());
            loggedIn.remove(user.name());
        } finally {
            lock.unlock();
        }
    }

    void keepCookies(User user, Response response) {
        lock.lock();
        try {
            var jar = cookies.computeIfAbsent(user.name(), name -> new LinkedHashMap<>());
            for (var line : response.fields().all("Set-Cookie")) {
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

    /** The pages that were asked for, in order. */
    List<Page> pages() {
        lock.lock();
        try {
            return List.copyOf(pages);
        } finally {
            lock.unlock();
        }
    }

    /** Empties what is kept, forgets who has logged in and what was asked: as just opened. */
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

    /** Pages that are being asked for come at once, or never: slow answers are slow no longer. */
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
    }

    /** Waits for the page that is being asked for, but not long; whether the lock is held. */
    private boolean awaitPage() {
        try {
            return lock.tryLock(LAST_PAGE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void close(@Nullable Surrogate running) {
        if (running != null) {
            running.close();
        }
    }

    private void requireNotStarted(String what) {
        lock.lock();
        try {
            if (surrogate != null) {
                throw new AssertionError(
                        "%s comes too late: the site was already used at %s (call it before that line, where the site is opened)"
                                .formatted(what, started));
            }
        } finally {
            lock.unlock();
        }
    }
}
