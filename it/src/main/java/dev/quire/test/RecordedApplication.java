package dev.quire.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An application, all that reaches it noted down, and its replies as the test wants them. */
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
    public Optional<List<FragmentHandler>> fragments() {
        return application.fragments();
    }

    @Override
    public Reply answer(Request request) {
        var from = now();
        var many = arrived(request);
        return recorded(request, from, held(many, request, application.answer(request)));
    }

    @Override
    public Told tell(Request request) {
        var from = now();
        var many = arrived(request);
        var told = application.tell(request);
        return new Told(recorded(request, from, held(many, request, told.reply())), told.page());
    }

    private @Nullable Stampede arrived(Request request) {
        var many = stampede;
        if (many != null) {
            many.arrives(request.target());
        }
        return many;
    }

    private static Reply held(@Nullable Stampede many, Request request, Reply reply) {
        if (many != null) {
            many.hold(request.target());
        }
        return reply;
    }

    /** {@code given} as it reaches whoever asked, or that he has not waited. */
    private Reply recorded(Request request, Duration from, Reply given) {
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

    /** Replies go wrong like this from now on; those that went wrong until now. */
    Faults faults(Faults others) {
        return watch.read(() -> {
            var before = faults;
            faults = others;
            return before;
        });
    }

    /** Replies are held from now on until all who ask are under way; not at all with null. */
    void stampede(@Nullable Stampede many) {
        stampede = many;
    }

    /** How many requests there have been. */
    int count() {
        return watch.read(() -> forgotten + requests.size());
    }

    /** Those behind the first {@code count}, in the order they came. */
    List<ApplicationRequest> since(int count) {
        return watch
                .read(() ->
                        List.copyOf(
                                requests.subList(Math.max(0, count - forgotten), requests.size())))
                .stream()
                .sorted((one, other) -> one.from().compareTo(other.from()))
                .toList();
    }

    /** The time since the site was opened. */
    Duration now() {
        return Duration.ofNanos(System.nanoTime() - opened);
    }

    /** Forgets the requests so far. */
    void forget() {
        watch.change(() -> {
            forgotten += requests.size();
            requests.clear();
        });
    }

    /** No reply is slow any more. */
    void hurry() {
        watch.change(() -> hurrying = true);
    }

    @Override
    public void close() {
        hurry();
        application.close();
    }
}
