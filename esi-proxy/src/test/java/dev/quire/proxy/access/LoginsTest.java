package dev.quire.proxy.access;

import static dev.quire.proxy.access.Logins.Verdict.ACCEPTED;
import static dev.quire.proxy.access.Logins.Verdict.OVERLOAD;
import static dev.quire.proxy.access.Logins.Verdict.REFUSED;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.rule.Credentials;
import dev.quire.core.rule.PasswordHash;
import dev.quire.proxy.access.Logins.Verdict;
import dev.quire.proxy.log.RecordedLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoginsTest {
    /** Hashes that {@code crypt(3)} made of {@code open sesame}. */
    private static final Credentials MEMBERS =
            credentials(
                    Map.of(
                            "y", "$2y$05$abcdefghijklmnopqrstuupx2xBUC4954936wVIjyyPHmUBFu0wCW",
                            "b", "$2b$04$abcdefghijklmnopqrstuu/LVz6MZlItEy42I2juLihZ66HnQx/cy",
                            "a", "$2a$04$abcdefghijklmnopqrstuu/LVz6MZlItEy42I2juLihZ66HnQx/cy"));

    /** Of 80 times {@code p}, and of {@code grüße} in UTF-8. */
    private static final Credentials OTHERS =
            credentials(
                    Map.of(
                            "long", "$2y$04$abcdefghijklmnopqrstuuNt.0ah97gHY3F7JC1Z6EXmQc0bQBhIO",
                            "utf8",
                                    "$2y$04$abcdefghijklmnopqrstuuukcFUuF1uD2.SsVXl2Kxf7oTFxL3IEq"));

    private final Queue<Runnable> aside = new ArrayDeque<>();
    private long nanos;
    private boolean isClockBroken;
    private final Logins logins = new Logins(aside::add, () -> nanos);

    @ParameterizedTest
    @CsvSource({
        "y, open sesame,  ACCEPTED",
        "b, open sesame,  ACCEPTED",
        "a, open sesame,  ACCEPTED",
        "y, open sesame2, REFUSED",
        "y, open sesam,   REFUSED",
        "y, '',           REFUSED",
        "Y, open sesame,  REFUSED",
        "c, open sesame,  REFUSED"
    })
    void passwordIsChecked(String user, String password, Verdict expected) {
        assertThat(verdict(MEMBERS, user + ":" + password)).isEqualTo(expected);
    }

    @Test
    void passwordIsBytesOfWhichBcryptReadsSeventyTwo() {
        assertThat(verdict(OTHERS, "long:" + "p".repeat(80))).isEqualTo(ACCEPTED);
        assertThat(verdict(OTHERS, "long:" + "p".repeat(71))).isEqualTo(REFUSED);
        assertThat(verdict(OTHERS, "utf8:gr\u00fc\u00dfe")).isEqualTo(ACCEPTED);
        assertThat(verdict(OTHERS, "utf8:grusse")).isEqualTo(REFUSED);
    }

    @Test
    void passwordOfAnUnknownUserIsCheckedToo() {
        var heard = new ArrayList<Verdict>();

        logins.check(MEMBERS, List.of(line("other:open sesame")), heard::add);

        assertThat(heard).isEmpty();
        assertThat(aside).hasSize(1);
    }

    @Test
    void withoutCredentialsNothingIsChecked() {
        assertThat(logins.known(MEMBERS, List.of())).isEqualTo(REFUSED);
        assertThat(logins.known(MEMBERS, List.of("Bearer x"))).isEqualTo(REFUSED);

        var heard = new ArrayList<Verdict>();
        logins.check(MEMBERS, List.of("Basic !"), heard::add);

        assertThat(heard).containsExactly(REFUSED);
        assertThat(aside).isEmpty();
    }

    @Test
    void verdictIsKeptForFiveMinutes() {
        verdict(MEMBERS, "b:open sesame");
        verdict(MEMBERS, "b:wrong");

        nanos += Duration.ofMinutes(5).toNanos() - 1;
        assertThat(logins.known(MEMBERS, List.of(line("b:open sesame")))).isEqualTo(ACCEPTED);
        assertThat(logins.known(MEMBERS, List.of(line("b:wrong")))).isEqualTo(REFUSED);

        nanos += 1;
        assertThat(logins.known(MEMBERS, List.of(line("b:open sesame")))).isNull();
        assertThat(logins.known(MEMBERS, List.of(line("b:wrong")))).isNull();
    }

    @Test
    void verdictEndsWithThePassword() {
        verdict(MEMBERS, "b:open sesame");
        var changed =
                credentials(
                        Map.of(
                                "b",
                                "$2y$04$abcdefghijklmnopqrstuuNt.0ah97gHY3F7JC1Z6EXmQc0bQBhIO"));
        var removed = credentials(Map.of());

        assertThat(verdict(changed, "b:open sesame")).isEqualTo(REFUSED);
        assertThat(verdict(removed, "b:open sesame")).isEqualTo(REFUSED);
        assertThat(verdict(MEMBERS, "b:open sesame")).isEqualTo(ACCEPTED);
    }

    @Test
    void twoChecksRunAtATimeAndOthersWait() {
        var heard = new ArrayList<Verdict>();
        for (int i = 0; i < 2 + Logins.MAX_WAITING; i++) {
            logins.check(MEMBERS, List.of(line("b:wrong" + i)), heard::add);
        }
        assertThat(aside).hasSize(2);
        assertThat(logins.pending()).isEqualTo(2 + Logins.MAX_WAITING);
        assertThat(heard).isEmpty();

        logins.check(MEMBERS, List.of(line("b:one too many")), heard::add);
        assertThat(heard).containsExactly(OVERLOAD);
        assertThat(logins.known(MEMBERS, List.of(line("b:one too many")))).as("kept").isNull();

        while (!aside.isEmpty()) {
            assertThat(aside).hasSizeLessThanOrEqualTo(2);
            aside.remove().run();
        }
        assertThat(heard).hasSize(3 + Logins.MAX_WAITING);
        assertThat(logins.pending()).isZero();
        assertThat(verdict(MEMBERS, "b:open sesame")).isEqualTo(ACCEPTED);
    }

    @Test
    void checkThatHasWaitedTooLongIsNotMade() {
        var heard = new ArrayList<Verdict>();
        logins.check(MEMBERS, List.of(line("b:open sesame")), heard::add);
        nanos += Duration.ofSeconds(5).toNanos() + 1;

        aside.remove().run();

        assertThat(heard).containsExactly(OVERLOAD);
        assertThat(logins.known(MEMBERS, List.of(line("b:open sesame")))).isNull();
        assertThat(logins.pending()).isZero();
        assertThat(verdict(MEMBERS, "b:open sesame")).isEqualTo(ACCEPTED);
    }

    @Test
    void checkThatCannotRunIsOver() {
        var heard = new ArrayList<Verdict>();
        var log = new RecordedLog();
        var broken =
                new Logins(
                        task -> {
                            throw new RejectedExecutionException("no thread");
                        },
                        () -> nanos,
                        log);

        for (int i = 0; i < 2; i++) {
            broken.check(MEMBERS, List.of(line("b:open sesame")), heard::add);
        }

        assertThat(heard).containsExactly(OVERLOAD, OVERLOAD);
        assertThat(broken.pending()).isZero();
        assertThat(log.lines()).singleElement().asString().contains("could not be started");
    }

    @Test
    void faultOfEachKindIsLoggedOnce() {
        var log = new RecordedLog();
        var broken = new Logins(aside::add, this::brokenClock, log);

        for (int i = 0; i < 2; i++) {
            broken.check(MEMBERS, List.of(line("b:open sesame")), LoginsTest::failOn);
            isClockBroken = true;
            aside.remove().run();
            isClockBroken = false;
        }

        assertThat(log.lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("the check of a password failed"),
                        line -> assertThat(line).contains("was not answered"));
        assertThat(broken.pending()).isZero();
    }

    private long brokenClock() {
        if (isClockBroken) {
            throw new IllegalStateException("expected a clock");
        }
        return nanos;
    }

    private static void failOn(Verdict verdict) {
        throw new IllegalStateException("expected no " + verdict);
    }

    @Test
    void sameCredentialsAreCheckedOnce() {
        var heard = new ArrayList<Verdict>();
        for (int i = 0; i < 1_000; i++) {
            logins.check(MEMBERS, List.of(line("b:open sesame")), heard::add);
        }

        assertThat(aside).hasSize(1);
        aside.remove().run();

        assertThat(heard).hasSize(1_000).containsOnly(ACCEPTED);
    }

    @Test
    void wrongPasswordsDoNotDisplaceTheAccepted() {
        verdict(MEMBERS, "b:open sesame");

        for (int i = 0; i < 3_000; i++) {
            verdict(MEMBERS, "b:wrong" + i);
        }

        assertThat(logins.known(MEMBERS, List.of(line("b:open sesame")))).isEqualTo(ACCEPTED);
        assertThat(logins.kept()).isEqualTo(1_001);
    }

    private Verdict verdict(Credentials credentials, String pair) {
        var heard = new ArrayList<Verdict>();
        logins.check(credentials, List.of(line(pair)), heard::add);
        while (!aside.isEmpty()) {
            aside.remove().run();
        }
        assertThat(heard).hasSize(1);
        return heard.getFirst();
    }

    private static Credentials credentials(Map<String, String> hashes) {
        var users = new HashMap<String, PasswordHash>();
        hashes.forEach((user, hash) -> users.put(user, new PasswordHash(hash)));
        return new Credentials("Members", false, users);
    }

    private static String line(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
    }
}
