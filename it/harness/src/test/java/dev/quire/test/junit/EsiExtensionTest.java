package dev.quire.test.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.Assembling;
import dev.quire.test.EsiSite;
import dev.quire.test.Faults;
import dev.quire.test.LeakDetector;
import dev.quire.test.User;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.TestClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EsiExtensionTest {
    @TempDir Path reports;

    /** Requests two pages, the second by a link in the first. */
    private static EsiSite twoPages() {
        return EsiSite.scripted(origin ->
                        origin.on("/", Answer.html("<p>front"))
                                .on("/login", Answer.html("in").field("Set-Cookie", "id=1"))
                                .on("/gone", Answer.status(410)))
                .assembledBy(Assembling.APPLICATION);
    }

    private Verdicts run(Class<?> type, String... parameters) {
        return Verdicts.of(type, reports, parameters);
    }

    @EsiTest
    static class ByMethodCase {
        static final AtomicInteger opened = new AtomicInteger();
        static final List<EsiSite> seen = new ArrayList<>();

        @TestedSite
        static EsiSite site() {
            opened.incrementAndGet();
            return twoPages();
        }

        final EsiSite ofConstructor;
        EsiSite field;
        TestClock clock;
        EsiSite own = twoPages();
        @Nullable String unrelated;

        @SuppressWarnings("NullAway.Init") // the extension sets the fields
        ByMethodCase(EsiSite site) {
            ofConstructor = site;
        }

        @Test
        void first(EsiSite site, TestClock time, Faults faults) {
            assertThat(site).isSameAs(field).isSameAs(ofConstructor).isNotSameAs(own);
            assertThat(time).isSameAs(clock).isSameAs(site.clock());
            assertThat(faults).hasToString("no faults");
            assertThat(unrelated).isNull();
            asLeft(site);
        }

        @Test
        void second(EsiSite site) {
            asLeft(site);
        }

        private void asLeft(EsiSite site) {
            seen.add(site);
            assertThat(site.pages()).isEmpty();
            assertThat(site.requests()).isEmpty();
            assertThat(site.cookies()).isEmpty();
            assertThat(site.clock().instant()).isBefore(Instant.now().plusSeconds(60));
            site.clock().advance(Duration.ofDays(1));
            site.get("/");
            site.get("/login");
            own.close();
        }

        @Nested
        class Inner {
            @Test
            void third(EsiSite site) {
                asLeft(site);
            }
        }
    }

    @Test
    void siteIsOpenedOnceAndIsAsJustOpenedForEachTest() {
        var verdicts = run(ByMethodCase.class).allPassed();

        assertThat(verdicts.passed()).containsExactlyInAnyOrder("first", "second", "third");
        assertThat(ByMethodCase.opened).hasValue(1);
        assertThat(ByMethodCase.seen).hasSize(3).containsOnly(ByMethodCase.seen.getFirst());
    }

    @EsiTest
    static class UnfinishedCheckCase {
        @TestedSite static final EsiSite SITE = twoPages();

        @Test
        void unfinished(EsiSite site) {
            LeakDetector.check(site).users(User.anonymous(), User.user("anna"));
        }

        @Test
        void next() {}
    }

    @Test
    void anUnfinishedLeakCheckFailsItsTestAlone() {
        var verdicts = run(UnfinishedCheckCase.class);

        assertThat(verdicts.passed()).containsExactly("next");
        assertThat(verdicts.failure("unfinished(EsiSite)"))
                .hasMessageContaining("has checked nothing");
    }

    @EsiTest
    static class ByFieldCase {
        @TestedSite static final EsiSite SITE = twoPages();

        @Test
        void asks(EsiSite site) {
            assertThat(site).isSameAs(SITE);
            assertThat(site.pages()).isEmpty();
            assertThat(site.get("/").html()).isEqualTo("<p>front");
        }
    }

    @Test
    void classWithItsSiteInAFieldCanRunAgain() {
        run(ByFieldCase.class).allPassed();
        run(ByFieldCase.class).allPassed();

        assertThat(ByFieldCase.SITE.pages()).isEmpty();
    }

    @EsiTest
    abstract static class WithInnerCase {
        @Nested
        class Inner {
            @Test
            void inner(EsiSite site) {
                assertThat(site).isSameAs(ByFieldCase.SITE);
            }
        }
    }

    static class InheritingCase extends ByFieldCase {}

    static class NamingCase extends WithInnerCase {
        @TestedSite static final EsiSite SAME = ByFieldCase.SITE;
    }

    @Test
    void classInheritsTheSiteOfItsSuperclassAndOfTheClassItRunsIn() {
        assertThat(run(InheritingCase.class).allPassed().passed()).containsExactly("asks");
        assertThat(run(NamingCase.class).allPassed().passed()).containsExactly("inner");
    }

    static class ByRegistrationCase {
        static final AtomicInteger count = new AtomicInteger();

        static EsiSite opened() {
            count.incrementAndGet();
            return twoPages();
        }

        @RegisterExtension
        static final EsiExtension SITE = EsiExtension.over(ByRegistrationCase::opened);

        @Test
        void first(EsiSite site) {
            assertThat(site.get("/").status()).isEqualTo(200);
        }

        @Test
        void second(EsiSite site) {
            assertThat(site.pages()).isEmpty();
        }
    }

    @Test
    void registeredExtensionOpensWhatItWasGivenOnce() {
        var verdicts = run(ByRegistrationCase.class).allPassed();

        assertThat(verdicts.passed()).containsExactlyInAnyOrder("first", "second");
        assertThat(ByRegistrationCase.count).hasValue(1);
    }

    @EsiTest
    static class FailingCase {
        @TestedSite
        static EsiSite site() {
            return twoPages();
        }

        @Test
        void fails(EsiSite site) {
            site.get("/");
            site.get("/gone");
            assertThat("<i>").isEqualTo("red");
        }

        @Test
        void failsWithoutAPage() {
            assertThat("green").isEqualTo("red");
        }

        @Test
        void isLeftOut(EsiSite site) {
            site.get("/");
            Assumptions.abort("not today");
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void failsForEach(int number, EsiSite site) {
            for (int i = 0; i < 10; i++) {
                site.get("/?" + number + i);
            }
            assertThat(number).isZero();
        }
    }

    @Test
    void failureShowsThePagesThatWereAskedFor() throws Exception {
        var verdicts = run(FailingCase.class);
        var file =
                reports.resolve("dev.quire.test.junit.EsiExtensionTest$FailingCase")
                        .resolve("fails.html");

        var failure = verdicts.failure("fails(EsiSite)");

        assertThat(failure).hasMessageContaining("red");
        assertThat(failure.getSuppressed()).hasSize(1);
        assertThat(failure.getSuppressed()[0])
                .hasMessageStartingWith("the pages this test requested:")
                .hasMessageContaining("GET / as anonymous: 200")
                .hasMessageContaining("GET /gone as anonymous: 410")
                .hasMessageEndingWith("drawn as a waterfall in " + file);
        assertThat(failure.getSuppressed()[0].getStackTrace()).isEmpty();
        assertThat(Files.readString(file)).contains("/gone").startsWith("<!DOCTYPE html>");
        assertThat(verdicts.files())
                .anySatisfy(published -> {
                    assertThat(published.getPath()).hasFileName("fails.html").exists();
                    assertThat(published.getMediaType()).hasValue("text/html; charset=UTF-8");
                });
    }

    @Test
    void failureWithoutAPageAndAnAbortedTestShowNone() {
        var verdicts = run(FailingCase.class);

        assertThat(verdicts.failure("failsWithoutAPage").getSuppressed()).isEmpty();
        assertThat(verdicts.failure("isLeftOut(EsiSite)").getSuppressed()).isEmpty();
    }

    @Test
    void eachInvocationHasAFileOfItsOwnAndAMessageOfBearableLength() throws Exception {
        var verdicts = run(FailingCase.class);
        var folder = reports.resolve("dev.quire.test.junit.EsiExtensionTest$FailingCase");

        assertThat(verdicts.failure("[1] number=1").getSuppressed()[0])
                .hasMessageStartingWith("the last 8 of the 10 pages this test requested:")
                .hasMessageNotContainingAny("/?10", "/?11")
                .hasMessageContaining("/?12");
        assertThat(Files.readString(folder.resolve("failsForEach-1.html"))).contains("/?10");
        assertThat(Files.readString(folder.resolve("failsForEach-2.html"))).contains("/?20");
    }

    @EsiTest
    static class UnreadyCase {
        @TestedSite
        static EsiSite site() {
            return twoPages();
        }

        @BeforeEach
        void prepare(EsiSite site) {
            assertThat(site.get("/").status()).isEqualTo(201);
        }

        @Test
        void isNotReached() {}
    }

    @Test
    void failureOfAPreparationShowsItsPagesToo() {
        assertThat(run(UnreadyCase.class).failure("isNotReached").getSuppressed()).hasSize(1);
    }

    @EsiTest
    static class WithoutSiteCase {
        @Test
        void asks(EsiSite site) {
            site.get("/");
        }
    }

    @EsiTest
    static class NullCase {
        @TestedSite static final @Nullable EsiSite NONE = null;

        @Test
        void asks() {}
    }

    @EsiTest
    static class UnstartedCase {
        @TestedSite
        static EsiSite site() {
            return Optional.<EsiSite>empty()
                    .orElseThrow(() -> new IllegalStateException("no database"));
        }

        @Test
        void asks() {}
    }

    @EsiTest
    static class InstanceCase {
        @TestedSite
        EsiSite site() {
            return twoPages();
        }

        @Test
        void asks() {}
    }

    @EsiTest
    static class TwoSitesCase {
        @TestedSite static final @Nullable EsiSite ONE = null;
        @TestedSite static final @Nullable EsiSite OTHER = null;

        @Test
        void asks() {}
    }

    @Test
    void classWithoutASiteIsToldWhatToAdd() {
        assertThat(run(WithoutSiteCase.class).failure("asks(EsiSite)"))
                .hasMessageContaining(
                        """
                        EsiExtensionTest$WithoutSiteCase names no site to ask. Add to it, for example,

                            @TestedSite
                            static EsiSite site() {
                                return EsiSite.over(URI.create("http://localhost:8080"));
                            }

                        or, to test a Spring Boot application, write above the class

                            @SpringBootTest(webEnvironment = RANDOM_PORT)
                            @AutoConfigureEsi(mode = PROXY)
                        """
                                .strip());
    }

    @Test
    void siteThatCannotBeOpenedIsNamed() {
        var here = "dev.quire.test.junit.EsiExtensionTest$";

        assertThat(run(NullCase.class).failure("asks"))
                .hasMessage(
                        here
                                + "NullCase.NONE provides no site: it is null (expected for example EsiSite.over(...))");
        assertThat(run(UnstartedCase.class).failure("asks"))
                .hasMessage(
                        here
                                + "UnstartedCase.site() provides no site: it threw java.lang.IllegalStateException: no database")
                .hasRootCauseInstanceOf(IllegalStateException.class);
        assertThat(run(InstanceCase.class).failure("asks"))
                .hasMessage(
                        here
                                + "InstanceCase.site() cannot be @TestedSite (expected 'static EsiSite site()')");
        assertThat(run(TwoSitesCase.class).failure("asks"))
                .hasMessage(
                        here
                                + "TwoSitesCase has 2 members that are @TestedSite: [ONE, OTHER] (expected one; keep the annotation on the site to test)");
    }

    @EsiTest
    static class ParallelCase {
        static final AtomicInteger inside = new AtomicInteger();
        static final List<Integer> seen = Collections.synchronizedList(new ArrayList<>());

        @TestedSite
        static EsiSite site() {
            return twoPages();
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3, 4})
        void alone(int number, EsiSite site) {
            ask(site, number);
        }

        static void ask(EsiSite site, int number) {
            seen.add(inside.incrementAndGet());
            for (int i = 0; i < 20; i++) {
                site.get("/?" + number);
            }
            assertThat(site.pages()).hasSize(20);
            inside.decrementAndGet();
        }

        @Nested
        class Inner {
            @ParameterizedTest
            @ValueSource(ints = {5, 6, 7, 8})
            void aloneToo(int number, EsiSite site) {
                ask(site, number);
            }
        }
    }

    @Test
    void testsOfOneClassDoNotMeetWhereOthersRunInParallel() {
        run(
                        ParallelCase.class,
                        "junit.jupiter.execution.parallel.enabled",
                        "true",
                        "junit.jupiter.execution.parallel.mode.default",
                        "concurrent",
                        "junit.jupiter.execution.parallel.config.strategy",
                        "fixed",
                        "junit.jupiter.execution.parallel.config.fixed.parallelism",
                        "4")
                .allPassed();

        assertThat(ParallelCase.seen).hasSize(8).containsOnly(1);
    }
}
