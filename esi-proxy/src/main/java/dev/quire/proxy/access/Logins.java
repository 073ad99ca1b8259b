package dev.quire.proxy.access;

import at.favre.lib.crypto.bcrypt.BCrypt;
import at.favre.lib.crypto.bcrypt.LongPasswordStrategies;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.rule.BasicLogin;
import dev.quire.core.rule.Credentials;
import dev.quire.core.rule.PasswordHash;
import dev.quire.proxy.fault.InternalErrors;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks passwords against their bcrypt hashes. A check takes a core for a tenth of a second or so:
 * {@value #MAX_RUNNING} run at a time, apart from the event loops, and {@value #MAX_WAITING} wait,
 * each for some seconds at most. Verdicts are kept for five minutes under an HMAC with a key of
 * this process, so that no password is in memory longer than its check. Thread-safe; never blocks.
 */
public final class Logins {
    static final int MAX_RUNNING = 2;
    static final int MAX_WAITING = 100;

    /** Of users: wrong passwords, of which there is no end, cannot displace them. */
    private static final int MAX_ACCEPTED = 9_000;

    private static final int MAX_REFUSED = 1_000;
    private static final Duration KEPT = Duration.ofMinutes(5);
    private static final String ALGORITHM = "HmacSHA256";

    /** A check that has waited longer is not made: its client would repeat the request. */
    private static final long MAX_WAIT_NANOS = Duration.ofSeconds(5).toNanos();

    /** The result of a check. */
    public enum Verdict {
        ACCEPTED,
        REFUSED,
        /** Too many checks wait, or this one has waited too long. */
        OVERLOAD
    }

    /**
     * @param isKnown whether there is such a user; the password of another is checked against a
     *     hash that takes as long
     */
    private record Check(
            ByteBuffer id, BasicLogin login, boolean isKnown, PasswordHash hash, long sinceNanos) {

        static Check of(ByteBuffer id, Credentials credentials, BasicLogin login, long nowNanos) {
            return new Check(
                    id,
                    login,
                    credentials.isKnown(login.user()),
                    credentials.hashOf(login.user()),
                    nowNanos);
        }

        Verdict verdict(BCrypt.Verifyer bcrypt) {
            boolean fits =
                    bcrypt.verify(login.password(), hash.text().getBytes(StandardCharsets.US_ASCII))
                            .verified;
            return fits && isKnown ? Verdict.ACCEPTED : Verdict.REFUSED;
        }
    }

    private final InternalErrors unstarted;
    private final InternalErrors failed;
    private final InternalErrors unanswered;
    private final Executor aside;
    private final LongSupplier nanos;
    private final SecretKeySpec key;
    private final Cache<ByteBuffer, Verdict> accepted;
    private final Cache<ByteBuffer, Verdict> refused;
    private final BCrypt.Verifyer bcrypt =
            BCrypt.verifyer(null, LongPasswordStrategies.truncate(BCrypt.Version.VERSION_2B));

    // Guarded by this.
    private final Queue<Check> waiting = new ArrayDeque<>();
    private final Map<ByteBuffer, List<Consumer<Verdict>>> askers = new HashMap<>();
    private int running;

    /**
     * @param aside runs a check outside the event loops
     * @param nanos a monotonic clock
     */
    public Logins(Executor aside, LongSupplier nanos) {
        this(aside, nanos, LoggerFactory.getLogger(Logins.class));
    }

    Logins(Executor aside, LongSupplier nanos, Logger log) {
        this.unstarted = new InternalErrors(log, "the check of a password could not be started");
        this.failed = new InternalErrors(log, "the check of a password failed");
        this.unanswered = new InternalErrors(log, "the request with a password was not answered");
        this.aside = aside;
        this.nanos = nanos;
        var random = new byte[32];
        new SecureRandom().nextBytes(random);
        this.key = new SecretKeySpec(random, ALGORITHM);
        this.accepted = verdicts(MAX_ACCEPTED, nanos);
        this.refused = verdicts(MAX_REFUSED, nanos);
    }

    private static Cache<ByteBuffer, Verdict> verdicts(int most, LongSupplier nanos) {
        return Caffeine.newBuilder()
                .maximumSize(most)
                .expireAfterWrite(KEPT)
                .ticker(nanos::getAsLong)
                .executor(Runnable::run)
                .build();
    }

    /**
     * Returns the verdict on a request if it needs no check, else null.
     *
     * @param authorization its Authorization lines
     */
    public @Nullable Verdict known(Credentials credentials, List<String> authorization) {
        var login = BasicLogin.of(authorization);
        return login.isEmpty() ? Verdict.REFUSED : kept(id(credentials, login.get()));
    }

    /**
     * Checks a request.
     *
     * @param answer called once, on any thread, possibly before this returns
     */
    public void check(
            Credentials credentials, List<String> authorization, Consumer<Verdict> answer) {
        var found = BasicLogin.of(authorization);
        if (found.isEmpty()) {
            answer.accept(Verdict.REFUSED);
            return;
        }
        var login = found.get();
        var id = id(credentials, login);
        Verdict verdict;
        Check mine = null;
        synchronized (this) {
            verdict = kept(id);
            if (verdict == null && askers.containsKey(id)) {
                askers.get(id).add(answer);
                return;
            }
            if (verdict == null && running == MAX_RUNNING && waiting.size() == MAX_WAITING) {
                verdict = Verdict.OVERLOAD;
            }
            if (verdict == null) {
                var check = Check.of(id, credentials, login, nanos.getAsLong());
                askers.put(id, new ArrayList<>(List.of(answer)));
                if (running < MAX_RUNNING) {
                    running++;
                    mine = check;
                } else {
                    waiting.add(check);
                }
            }
        }
        if (verdict != null) {
            answer.accept(verdict);
        } else if (mine != null) {
            start(mine);
        }
    }

    /** The number of checks that run or wait. */
    public synchronized int pending() {
        return running + waiting.size();
    }

    /** The number of verdicts that are kept, after those that have expired or are too many. */
    long kept() {
        accepted.cleanUp();
        refused.cleanUp();
        return accepted.estimatedSize() + refused.estimatedSize();
    }

    private void start(Check check) {
        try {
            aside.execute(() -> over(check, verdict(check)));
        } catch (RuntimeException | Error bug) {
            // It does not run: there is no thread for it.
            unstarted.add(bug);
            over(check, Verdict.OVERLOAD);
        }
    }

    /** After a bug too, the next check must start, and those who wait be answered. */
    private Verdict verdict(Check check) {
        var verdict = Verdict.OVERLOAD;
        try {
            if (nanos.getAsLong() - check.sinceNanos() <= MAX_WAIT_NANOS) {
                verdict = check.verdict(bcrypt);
                (verdict == Verdict.ACCEPTED ? accepted : refused).put(check.id(), verdict);
            }
        } catch (RuntimeException | Error bug) {
            failed.add(bug);
        }
        return verdict;
    }

    private void over(Check check, Verdict verdict) {
        List<Consumer<Verdict>> told;
        Check next;
        synchronized (this) {
            told = askers.remove(check.id());
            next = waiting.poll();
            if (next == null) {
                running--;
            }
        }
        if (next != null) {
            start(next);
        }
        if (told != null) {
            told.forEach(answer -> tell(answer, verdict));
        }
    }

    private void tell(Consumer<Verdict> answer, Verdict verdict) {
        try {
            answer.accept(verdict);
        } catch (RuntimeException | Error bug) {
            unanswered.add(bug);
        }
    }

    private @Nullable Verdict kept(ByteBuffer id) {
        var verdict = accepted.getIfPresent(id);
        return verdict != null ? verdict : refused.getIfPresent(id);
    }

    /**
     * Returns the key of the verdict on {@code login}. It contains the user's hash, so that a
     * verdict does not outlive the password.
     */
    private ByteBuffer id(Credentials credentials, BasicLogin login) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            var hash = credentials.hashes().get(login.user());
            var known = hash == null ? "" : hash.text();
            // A hash has a fixed length and no name contains a colon.
            mac.update((known + ':' + login.user() + ':').getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(mac.doFinal(login.password()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
