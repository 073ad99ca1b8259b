package dev.quire.it.broken;

import dev.quire.test.Application;
import dev.quire.test.FragmentHandler;
import dev.quire.test.Reply;
import dev.quire.test.internal.Assembled;
import dev.quire.test.internal.Part;
import dev.quire.test.internal.Surrogate;
import dev.quire.test.wire.Request;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A sound assembler with a defect around it. Its trace contains the parts as the application sent
 * them, without the effect of the defect.
 */
final class Broken implements Surrogate {
    private final Defect defect;
    private final Surrogate sound;
    private final Supplier<Surrogate> another;
    private final Misreadings misreadings;
    private final AtomicInteger underWay = new AtomicInteger();

    /**
     * @param start starts the assembler in front of this application
     */
    Broken(Application application, Defect defect, Function<Application, Surrogate> start) {
        this.defect = defect;
        this.misreadings = new Misreadings(application, defect);
        this.another = () -> start.apply(misreadings);
        this.sound = another.get();
    }

    @Override
    public Assembled ask(Request request) {
        boolean isAlone = underWay.getAndIncrement() == 0;
        try {
            if (isAlone || defect.coalesces()) {
                return asked(sound, request);
            }
            try (var own = another.get()) {
                return asked(own, request);
            }
        } finally {
            underWay.decrementAndGet();
        }
    }

    private Assembled asked(Surrogate assembler, Request request) {
        var page = assembler.ask(request);
        return new Assembled(defect.sent(page), page.parts().map(misreadings::corrected));
    }

    @Override
    public void purgeTags(String... tags) {
        if (defect.heedsTags()) {
            sound.purgeTags(tags);
        }
    }

    @Override
    public void purge(String... targets) {
        if (defect.heedsTargets()) {
            sound.purge(targets);
        }
    }

    @Override
    public String name() {
        return sound.name();
    }

    @Override
    public boolean hasCache() {
        return sound.hasCache();
    }

    @Override
    public void close() {
        sound.close();
    }

    /** The application as the sound assembler sees it. */
    private static final class Misreadings implements Application {
        private final Application application;
        private final Defect defect;

        /** Newest first; guarded by itself. */
        private final Deque<Misreading> all = new ArrayDeque<>();

        private record Misreading(Request request, Reply sent, Reply.Whole taken) {

            boolean isOf(Part part) {
                var response = taken.response();
                return request.target().equals(part.target())
                        && response.status() == part.status()
                        && (part.body() == null || response.body().equals(part.body()));
            }
        }

        Misreadings(Application application, Defect defect) {
            this.application = application;
            this.defect = defect;
        }

        @Override
        public String authority() {
            return application.authority();
        }

        @Override
        public Optional<List<FragmentHandler>> fragments() {
            return application.fragments();
        }

        @Override
        public Reply answer(Request request) {
            var sent = defect.asked(request, application);
            var taken = defect.taken(request, sent);
            if (taken instanceof Reply.Whole whole && !taken.equals(sent)) {
                synchronized (all) {
                    all.addFirst(new Misreading(request, sent, whole));
                }
            }
            return taken;
        }

        List<Part> corrected(List<Part> parts) {
            return parts.stream().map(this::corrected).toList();
        }

        private Part corrected(Part part) {
            return latest(misreading -> misreading.isOf(part))
                    .map(misreading -> corrected(part, misreading.sent()))
                    .orElse(part);
        }

        /** Corrects a part; of a truncated reply the trace has no more than it shows. */
        private static Part corrected(Part part, Reply sent) {
            if (!(sent instanceof Reply.Whole(var response))) {
                return part;
            }
            return new Part(
                    part.target(),
                    part.parent(),
                    part.depth(),
                    part.outcome(),
                    response.status(),
                    part.error(),
                    part.from(),
                    part.to(),
                    response.fields(),
                    response.body(),
                    part.freshness());
        }

        private Optional<Misreading> latest(Predicate<Misreading> condition) {
            synchronized (all) {
                return all.stream().filter(condition).findFirst();
            }
        }
    }
}
