package dev.quire.proxy;

import dev.quire.core.http.DurationText;
import dev.quire.core.policy.ErrorGuard;
import dev.quire.proxy.admin.ConfigurationActions;
import dev.quire.proxy.admin.ReloadTerms;
import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.ConfigurationSource;
import dev.quire.proxy.config.ConfigurationText;
import dev.quire.proxy.config.InvalidConfiguration;
import dev.quire.proxy.config.LoadedConfiguration;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.fault.InternalErrors;
import dev.quire.proxy.metrics.ConfigurationMetrics;
import dev.quire.proxy.metrics.ConfigurationMetrics.Reload;
import dev.quire.proxy.metrics.ConfigurationMetrics.Rollback;
import dev.quire.proxy.path.CurrentParts.Responses;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configurations of the running proxy: reads new ones, keeps the last ones as text, and takes a
 * new one back if it is not confirmed or causes errors.
 */
final class Generations implements ConfigurationActions, AutoCloseable {
    /** How many texts are kept, that of the current generation included. */
    static final int MAX_KEPT = 10;

    private static final Duration SAMPLE = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(100);

    /** How long a guard watches without a time for the confirmation. */
    private static final Duration GUARDED = Duration.ofSeconds(60);

    private final Logger log;
    private final InternalErrors errors;
    private final @Nullable ConfigurationSource source;
    private final Running running;
    private final ConfigurationMetrics metrics;
    private final ErrorHistory history = new ErrorHistory();
    private final ReentrantLock lock = new ReentrantLock();

    /** Newest first; never empty. */
    private final List<Kept> kept = new ArrayList<>();

    private Kept current;
    private long last = 1;
    private @Nullable Trial trial;

    /** Why the generation on trial must be taken back; null unless that was not possible yet. */
    private @Nullable Cause awaited;

    /** Why that was not possible, as it was logged last. */
    private @Nullable String obstacle;

    private @Nullable Thread sampler;

    /** The proxy that uses the configurations. */
    interface Running {
        Configuration configuration();

        /**
         * Uses {@code next}, or throws and changes nothing.
         *
         * @param isReturn whether it was used before
         */
        void use(Configuration next, long number, boolean isReturn) throws CannotStart;

        /** Opens the files of the logs and reads those of certificates again. */
        void reopenFiles();

        /** The responses of the current generation. */
        Responses ofCurrent();

        /** The responses of all generations. */
        Responses ofAll();
    }

    /** The text of a generation. */
    private record Kept(
            long number,
            long sinceNanos,
            String by,
            long before,
            Optional<ConfigurationText> text) {}

    /**
     * A generation that may be taken back.
     *
     * @param back the generation before it, and its configuration
     * @param awaits whether it must be confirmed
     * @param shareBefore the share of errors before it
     */
    private record Trial(
            Kept generation,
            Kept back,
            Configuration backTo,
            boolean awaits,
            long endNanos,
            Optional<ErrorGuard> guard,
            double shareBefore) {}

    /** The cause of a return that no operator asked for. */
    private record Cause(Rollback by, String why) {}

    /**
     * @param loaded the first generation; null if it cannot be read again
     */
    Generations(
            @Nullable LoadedConfiguration loaded, Running running, ConfigurationMetrics metrics) {
        this(loaded, running, metrics, LoggerFactory.getLogger(Generations.class));
    }

    Generations(
            @Nullable LoadedConfiguration loaded,
            Running running,
            ConfigurationMetrics metrics,
            Logger log) {
        this.log = log;
        this.errors =
                new InternalErrors(
                        log, "configuration: a look at its trial failed and will be repeated");
        this.source = loaded == null ? null : loaded.source();
        this.running = running;
        this.metrics = metrics;
        this.current =
                new Kept(
                        1,
                        System.nanoTime(),
                        "start",
                        0,
                        loaded == null ? Optional.empty() : loaded.text());
        kept.add(current);
        metrics.showGeneration(this::number);
    }

    /** Begins to observe errors. Called once. */
    void start() {
        sampler = Thread.ofVirtual().name("quire-error-history").start(this::sample);
    }

    private void sample() {
        try {
            while (true) {
                history.add(running.ofAll());
                TimeUnit.NANOSECONDS.sleep(SAMPLE.toNanos());
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (sampler != null) {
            sampler.interrupt();
        }
        lock.lock();
        try {
            trial = null;
        } finally {
            lock.unlock();
        }
    }

    private long number() {
        lock.lock();
        try {
            return current.number();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Outcome reload(ReloadTerms terms, boolean dryRun) {
        lock.lock();
        try {
            return source == null
                    ? unreadable()
                    : applied(source, source.read(), "reload", terms, dryRun);
        } catch (InvalidConfiguration e) {
            return refused(e.problems(), dryRun);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Outcome use(
            ConfigurationText text, OptionalLong expected, ReloadTerms terms, boolean dryRun) {
        lock.lock();
        try {
            if (expected.isPresent() && expected.getAsLong() != current.number()) {
                return new Outcome.Superseded(current.number());
            }
            return source == null
                    ? unreadable()
                    : applied(source, Optional.of(text), "post", terms, dryRun);
        } finally {
            lock.unlock();
        }
    }

    private static Outcome unreadable() {
        return new Outcome.Conflict(
                "the proxy is a part of another program", "one that quire run has started");
    }

    private Outcome applied(
            ConfigurationSource from,
            Optional<ConfigurationText> text,
            String by,
            ReloadTerms terms,
            boolean dryRun) {
        if (trial != null && trial.awaits() && !dryRun) {
            return new Outcome.Conflict(
                    "generation " + current.number() + " awaits its confirmation",
                    "confirm or rollback before");
        }
        var warnings = new ArrayList<Problem>();
        try {
            var next = from.build(text, warnings::add);
            if (dryRun) {
                var obstacles = Proxy.obstacles(running.configuration(), next);
                return obstacles.isEmpty()
                        ? new Outcome.Valid(current.number(), warnings)
                        : new Outcome.Invalid(obstacles);
            }
            var before = running.configuration();
            if (isSameText(text, current.text()) && next.equals(before)) {
                running.reopenFiles();
                metrics.reloaded(Reload.UNCHANGED);
                return new Outcome.InUse(current.number(), false, Optional.empty(), warnings);
            }
            return used(next, text, by, terms, warnings);
        } catch (InvalidConfiguration e) {
            return refused(e.problems(), dryRun);
        } catch (CannotStart e) {
            return e.isTemporary() ? conflict(e) : refused(e.problems(), dryRun);
        }
    }

    private static Outcome conflict(CannotStart atPresent) {
        var problem = atPresent.problems().getFirst();
        return new Outcome.Conflict(problem.what(), problem.expected());
    }

    private static boolean isSameText(
            Optional<ConfigurationText> one, Optional<ConfigurationText> other) {
        return one.isPresent() ? other.filter(one.get()::isSameAs).isPresent() : other.isEmpty();
    }

    private Outcome used(
            Configuration next,
            Optional<ConfigurationText> text,
            String by,
            ReloadTerms terms,
            List<Problem> warnings)
            throws CannotStart {
        var backTo = running.configuration();
        var back = current;
        double shareBefore = history.shareUntil(running.ofAll());
        running.use(next, last + 1, false);
        last++;
        current = new Kept(last, System.nanoTime(), by, back.number(), text);
        kept.addFirst(current);
        awaited = null;
        obstacle = null;
        trial =
                terms.equals(ReloadTerms.NONE)
                        ? null
                        : new Trial(
                                current,
                                back,
                                backTo,
                                terms.confirm().isPresent(),
                                System.nanoTime() + terms.confirm().orElse(GUARDED).toNanos(),
                                terms.guard(),
                                shareBefore);
        forgetOldest();
        metrics.reloaded(Reload.APPLIED);
        log.atInfo()
                .addKeyValue("event", "configuration-replaced")
                .addKeyValue("generation", last)
                .log(
                        "configuration: generation {} is in use, by {}{}",
                        last,
                        by,
                        terms.confirm()
                                .map(time -> ", until " + DurationText.of(time) + " confirm it")
                                .orElse(""));
        warnings.forEach(warning ->
                log.atWarn().addKeyValue("event", "configuration-warning").log("{}", warning));
        if (trial != null) {
            var started = trial;
            Thread.ofVirtual().name("quire-trial").start(() -> watch(started));
        }
        return new Outcome.InUse(last, true, terms.confirm(), warnings);
    }

    private void forgetOldest() {
        for (int i = kept.size() - 1; i > 0 && kept.size() > MAX_KEPT; i--) {
            var oldest = kept.get(i);
            if (!oldest.equals(current) && (trial == null || !oldest.equals(trial.back()))) {
                kept.remove(i);
            }
        }
    }

    private Outcome refused(List<Problem> problems, boolean dryRun) {
        if (!dryRun) {
            metrics.reloaded(Reload.REFUSED);
            log.atError()
                    .addKeyValue("event", "configuration-refused")
                    .addKeyValue("generation", current.number())
                    .log(
                            "configuration: refused, generation {} stays in use: {}",
                            current.number(),
                            lines(problems));
        }
        return new Outcome.Invalid(problems);
    }

    private static String lines(List<Problem> problems) {
        return problems.stream().map(Problem::toString).collect(Collectors.joining("; "));
    }

    @Override
    public Outcome confirm() {
        lock.lock();
        try {
            if (trial == null || !trial.awaits()) {
                return new Outcome.Conflict(
                        "generation " + current.number() + " awaits no confirmation",
                        "a reload with confirm before");
            }
            trial = null;
            forgetOldest();
            log.atInfo()
                    .addKeyValue("event", "configuration-confirmed")
                    .addKeyValue("generation", current.number())
                    .log("configuration: generation {} is confirmed", current.number());
            return new Outcome.InUse(current.number(), false, Optional.empty(), List.of());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Outcome rollback(OptionalLong generation) {
        lock.lock();
        try {
            long wanted = generation.orElse(current.before());
            var target = kept.stream().filter(each -> each.number() == wanted).findFirst();
            if (source == null) {
                return unreadable();
            }
            if (target.isEmpty()) {
                return new Outcome.Conflict(
                        wanted == 0
                                ? "there is no generation before " + current.number()
                                : "generation " + wanted + " is not kept",
                        "one of "
                                + kept.stream()
                                        .map(each -> String.valueOf(each.number()))
                                        .collect(Collectors.joining(", ")));
            }
            if (target.get().equals(current)) {
                return new Outcome.InUse(wanted, false, Optional.empty(), List.of());
            }
            var warnings = new ArrayList<Problem>();
            var configuration = source.build(target.get().text(), warnings::add);
            takeBack(target.get(), configuration, Rollback.OPERATOR, "an operator asked for it");
            return new Outcome.InUse(wanted, true, Optional.empty(), warnings);
        } catch (InvalidConfiguration e) {
            return new Outcome.Invalid(e.problems());
        } catch (CannotStart e) {
            return e.isTemporary() ? conflict(e) : new Outcome.Invalid(e.problems());
        } finally {
            lock.unlock();
        }
    }

    private void takeBack(Kept target, Configuration configuration, Rollback by, String why)
            throws CannotStart {
        running.use(configuration, target.number(), true);
        var left = current;
        current = target;
        trial = null;
        forgetOldest();
        metrics.rolledBack(by);
        log.atWarn()
                .addKeyValue("event", "configuration-rolled-back")
                .addKeyValue("generation", target.number())
                .log(
                        "configuration: generation {} is in use again instead of {}: {}; the file is"
                                + " not changed, and the next reload or start reads it",
                        target.number(),
                        left.number(),
                        why);
    }

    /** Waits for the end of {@code watched}; takes its generation back if it must. */
    private void watch(Trial watched) {
        try {
            while (isOnTrial(watched)) {
                long left = watched.endNanos() - System.nanoTime();
                // After the end a return is tried again.
                TimeUnit.NANOSECONDS.sleep(
                        left > 0 ? Math.min(left, LOOK.toNanos()) : LOOK.toNanos());
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isOnTrial(Trial watched) {
        lock.lock();
        try {
            if (watched.equals(trial)) {
                look(watched);
            }
            return watched.equals(trial);
        } finally {
            lock.unlock();
        }
    }

    private void look(Trial watched) {
        try {
            var cause = awaited == null ? cause(watched) : awaited;
            if (cause != null) {
                takeBackUnasked(watched, cause);
            } else if (isOver(watched)) {
                trial = null;
            }
        } catch (RuntimeException | Error bug) {
            errors.add(bug);
        }
    }

    /** Returns why {@code watched} must be taken back, or null. */
    private @Nullable Cause cause(Trial watched) {
        var responses = running.ofCurrent();
        if (watched.guard()
                .filter(guard ->
                        guard.trips(responses.all(), responses.errors(), watched.shareBefore()))
                .isPresent()) {
            return new Cause(
                    Rollback.ERRORS,
                    responses.errors() + " of " + responses.all() + " responses were errors");
        }
        return watched.awaits() && isOver(watched)
                ? new Cause(Rollback.UNCONFIRMED, "it was not confirmed in time")
                : null;
    }

    private static boolean isOver(Trial watched) {
        return System.nanoTime() - watched.endNanos() >= 0;
    }

    private void takeBackUnasked(Trial watched, Cause cause) {
        try {
            takeBack(watched.back(), watched.backTo(), cause.by(), cause.why());
        } catch (RuntimeException | Error bug) {
            awaited = cause;
            if (isNew(bug.getClass().getName())) {
                InternalErrors.log(
                        log,
                        bug,
                        "configuration: generation {} could not be taken back, which is repeated",
                        current.number());
            }
        } catch (CannotStart e) {
            awaited = cause;
            if (!e.isTemporary()) {
                trial = null;
            }
            if (isNew(lines(e.problems())) || !e.isTemporary()) {
                log.atError()
                        .addKeyValue("event", "configuration-not-rolled-back")
                        .addKeyValue("generation", current.number())
                        .log(
                                "configuration: generation {} cannot be taken back{}, although {}: {}",
                                current.number(),
                                e.isTemporary() ? " yet" : "",
                                cause.why(),
                                lines(e.problems()));
            }
        }
    }

    /** The attempts are repeated: each obstacle is logged once. */
    private boolean isNew(String found) {
        boolean isNew = !found.equals(obstacle);
        obstacle = found;
        return isNew;
    }

    @Override
    public List<Generation> generations() {
        lock.lock();
        try {
            long now = System.nanoTime();
            var awaiting = trial;
            return kept.stream()
                    .map(each ->
                            new Generation(
                                    each.number(),
                                    Duration.ofNanos(now - each.sinceNanos()),
                                    each.by(),
                                    each.before(),
                                    each.text().map(Generations::bytes).orElse(0),
                                    each.equals(current),
                                    awaiting != null
                                                    && awaiting.awaits()
                                                    && awaiting.generation().equals(each)
                                            ? Optional.of(
                                                    Duration.ofNanos(
                                                            Math.max(0, awaiting.endNanos() - now)))
                                            : Optional.empty()))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    private static int bytes(ConfigurationText text) {
        return text.text().getBytes(StandardCharsets.UTF_8).length;
    }

    @Override
    public CurrentText current() {
        var now = inUse();
        return new CurrentText(
                now.number(), now.text().map(ConfigurationSource::masked).orElse(""));
    }

    @Override
    public CurrentText effective() {
        var now = inUse();
        try {
            return new CurrentText(
                    now.number(), source == null ? "" : source.effective(now.text()));
        } catch (InvalidConfiguration e) {
            // A file or a variable that the text names has changed since.
            return new CurrentText(
                    now.number(),
                    e.problems().stream()
                            .map(each -> "# " + each + "\n")
                            .collect(Collectors.joining()));
        }
    }

    private Kept inUse() {
        lock.lock();
        try {
            return current;
        } finally {
            lock.unlock();
        }
    }
}
