package dev.quire.test;

import dev.quire.test.wire.Request;
import dev.quire.test.wire.internal.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An application with a record of its requests, and with the faults of the test. */
final class RecordedApplication implements Application {
    private final Application application;
    private final long opened = System.nanoTime();
    private final Watch watch = new Watch();
    private final List<ApplicationRequest> requests = new ArrayList<>();
    private int forgotten;
    private Faults faults = Faults.none();
    private boolean hurrying;
    private volatile @Nullable Stampede stampede;

    RecordedApplication(Application application) {
        this.application = application;
    }

    @Override
    public String authority() {
        return application.authority();
    }

    @Override
    public Optional<VariantSignature> variants() {
        return application.variants();
    }

    @Override
    public Set<String> takeFieldsRead() {
        return application.takeFieldsRead();
    }

    @Override
    public Optional<List<FragmentHandler>> fragments() {
        return application.fragments();
    }

    @Override
    public Reply answer(Request request) {
        return recorded(request, now(), arrived(request), application.answer(request));
    }

    @Override
    public Told tell(Request request) {
        var from = now();
        var many = arrived(request);
        var told = application.tell(request);
        return new Told(recorded(request, from, many, told.reply()), told.page());
    }

    private @Nullable Stampede arrived(Request request) {
        var many = stampede;
        if (many != null) {
            many.arrives(request.target());
        }
        return many;
    }

    /**
     * Records and returns {@code given} as the client receives it, or {@link Reply.None} if the
     * client did not wait.
     */
    private Reply recorded(Request request, Duration from, @Nullable Stampede many, Reply given) {
        if (many != null) {
            many.hold(request.target());
        }
        var met =
                watch.read(() -> faults)
                        .applied(
                                request,
                                given,
                                longest -> watch.awaitWhileWanted(longest, () -> hurrying));
        var reply =
                Thread.currentThread().isInterrupted()
                        ? new Reply.None("the client did not wait for it")
                        : met;
        watch.change(() -> requests.add(new ApplicationRequest(request, from, now(), reply)));
        return reply;
    }

    /** Sets the faults from now on, and returns the earlier ones. */
    Faults faults(Faults others) {
        return watch.read(() -> {
            var before = faults;
            faults = others;
            return before;
        });
    }

    /** Holds replies from now on until all readers' requests are in flight; null to hold none. */
    void stampede(@Nullable Stampede many) {
        stampede = many;
    }

    int count() {
        return watch.read(() -> forgotten + requests.size());
    }

    /** The requests after the first {@code count}, in order of arrival. */
    List<ApplicationRequest> since(int count) {
        return watch
                .read(() ->
                        List.copyOf(
                                requests.subList(Math.max(0, count - forgotten), requests.size())))
                .stream()
                .sorted((one, other) -> one.from().compareTo(other.from()))
                .toList();
    }

    Duration now() {
        return Duration.ofNanos(System.nanoTime() - opened);
    }

    void forget() {
        watch.change(() -> {
            forgotten += requests.size();
            requests.clear();
        });
    }

    void hurry() {
        watch.change(() -> hurrying = true);
    }

    @Override
    public void close() {
        hurry();
        application.close();
    }
}
