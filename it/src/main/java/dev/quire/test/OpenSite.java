package dev.quire.test;

import java.net.HttpCookie;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What all views of one site have in common: the application, what assembles its pages once the
 * first is asked for, the clock, and the cookies of its readers. Any thread; one page is asked for
 * at a time, because what reaches the application meanwhile is counted as that page's.
 */
final class OpenSite implements AutoCloseable {
    private final RecordedApplication application;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Map<String, String>> cookies = new LinkedHashMap<>();
    private final Set<String> loggedIn = new HashSet<>();
    private final List<Page> pages = new ArrayList<>();
    private Assembling assembling;
    private HandSetClock clock = TestClock.handSetBeforeRealServers();
    private volatile @Nullable Surrogate surrogate;
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
                "the site lives by another clock since %s (move that one: site.clock())"
                        .formatted(TestLine.here()));
        clock = other;
        clock.connect(this);
    }

    /** What assembles the pages; a purge may ask for it while a page is made. */
    Surrogate surrogate() {
        var running = surrogate;
        if (running != null) {
            return running;
        }
        lock.lock();
        try {
            running = surrogate;
            if (running == null) {
                running = assembling.start(application, clock);
                surrogate = running;
                started = TestLine.here();
                if (!running.hasCache()) {
                    clock.disconnect(
                            this,
                            "the pages of this site are assembled by %s, which keeps nothing (have them assembled by Assembling.IN_MEMORY or PROXY)"
                                    .formatted(running.name()));
                }
            }
            return running;
        } finally {
            lock.unlock();
        }
    }

    /** Asks as {@code user} does, logging in before if that has not been done. */
    Page ask(EsiSite view, Request request, Faults faults) {
        var running = surrogate();
        lock.lock();
        try {
            int before = application.count();
            var at = clock.now();
            var begun = application.now();
            var usual = application.faults(faults);
            try {
                var assembled = running.ask(request);
                keepCookies(view.user(), assembled.response());
                var page =
                        new Page(
                                view,
                                request,
                                assembled.response(),
                                new AssemblyTrace(
                                        running.name(),
                                        view.user(),
                                        faults,
                                        at,
                                        begun,
                                        request,
                                        assembled.parts(),
                                        application.since(before)));
                pages.add(page);
                return page;
            } finally {
                application.faults(usual);
            }
        } finally {
            lock.unlock();
        }
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

    @Override
    public void close() {
        lock.lock();
        try {
            close(surrogate);
            surrogate = null;
        } finally {
            lock.unlock();
            application.close();
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
                        "%s comes too late: the site has been asked at %s (say it where the site is opened, in front of that line)"
                                .formatted(what, started));
            }
        } finally {
            lock.unlock();
        }
    }
}
