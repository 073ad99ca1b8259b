package dev.quire.spring.internal.invalidate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.quire.spring.internal.autoconfigure.QuireInvalidationAutoConfiguration;
import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.InvalidatesFragments;
import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.InvalidationReport;
import dev.quire.spring.invalidate.SurrogateAnswer;
import dev.quire.spring.invalidate.SurrogateClient;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;

/** Invalidations by annotated methods, and their timing: with a real database. */
class InvalidatesFragmentsTest {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(
                                    DataSourceAutoConfiguration.class,
                                    DataSourceTransactionManagerAutoConfiguration.class,
                                    TransactionAutoConfiguration.class,
                                    QuireInvalidationAutoConfiguration.class))
                    .withPropertyValues("spring.datasource.url=jdbc:h2:mem:desk")
                    .withUserConfiguration(Newsroom.class);

    /** Returns the invalidations that the surrogate receives during {@code work}. */
    private List<Invalidation> told(Consumer<Desk> work) {
        var told = new CopyOnWriteArrayList<Invalidation>();
        application.run(context -> {
            assertThat(context).hasNotFailed();
            work.accept(context.getBean(Desk.class));
            context.getBean(EsiInvalidator.class).flush().toCompletableFuture().join();
            told.addAll(context.getBean(Listener.class).told);
        });
        return told;
    }

    private static Set<String> tagsOf(List<Invalidation> told) {
        var tags = new TreeSet<String>();
        told.forEach(one -> tags.addAll(one.tags()));
        return tags;
    }

    @Test
    void keysComeFromArgumentsAndResult() {
        var told = told(desk -> desk.save("7", 100));

        assertThat(tagsOf(told)).containsExactly("article-7", "front", "section-100", "title-Save");
    }

    @Test
    void withoutATransactionEachCallIsSentAtOnce() {
        application.run(context -> {
            context.getBean(Desk.class).plain("7");
            // no other call could have sent it
            assertThat(context.getBean(Listener.class).awaitFirst().tags())
                    .containsExactly("article-7");
        });
    }

    @Test
    void whatOneTransactionNamesTwiceIsSentOnce() {
        var told = told(desk -> desk.severalInOne("7", "8", "7"));

        assertThat(told).hasSize(1);
        assertThat(told.getFirst().tags()).containsExactly("article-7", "article-8");
    }

    @Test
    void nothingIsSentBeforeTheCommit() {
        application.run(context -> {
            var listener = context.getBean(Listener.class);
            context.getBean(Desk.class)
                    .thenLook(() -> {
                        // invalidations from a thread without this transaction arrive later
                        var marker =
                                CompletableFuture.runAsync(() -> {
                                    var invalidator = context.getBean(EsiInvalidator.class);
                                    invalidator.tags("marker");
                                    invalidator.flush().toCompletableFuture().join();
                                });
                        marker.orTimeout(30, TimeUnit.SECONDS).join();
                        assertThat(tagsOf(listener.told)).containsExactly("marker");
                    });
            context.getBean(EsiInvalidator.class).flush().toCompletableFuture().join();
            assertThat(tagsOf(listener.told)).containsExactly("article-7", "marker");
        });
    }

    @Test
    void flushSendsWhatIsCollectedWithoutTheCommit() {
        application.run(context -> {
            var listener = context.getBean(Listener.class);
            context.getBean(Desk.class)
                    .thenLook(() -> {
                        var report =
                                context.getBean(EsiInvalidator.class)
                                        .flush()
                                        .toCompletableFuture()
                                        .join();
                        assertThat(report.isComplete()).isTrue();
                        assertThat(report.deliveries()).hasSize(1);
                        assertThat(listener.told).hasSize(1);
                    });
            context.getBean(EsiInvalidator.class).flush().toCompletableFuture().join();
            assertThat(listener.told).hasSize(1);
        });
    }

    @Test
    void aRollbackSendsNothing() {
        assertThat(
                        told(desk ->
                                assertThatIllegalStateException()
                                        .isThrownBy(() -> desk.thenFail("7"))))
                .isEmpty();
        assertThat(told(desk -> desk.thenRollBack("7"))).isEmpty();
    }

    @Test
    void aMethodThatThrowsSendsNothing() {
        assertThat(
                        told(desk ->
                                assertThatIllegalStateException()
                                        .isThrownBy(() -> desk.failing("7"))))
                .isEmpty();
    }

    @Test
    void aTransactionOfItsOwnIsSentThoughTheOuterOneRollsBack() {
        var told =
                told(desk ->
                        assertThatIllegalStateException()
                                .isThrownBy(() -> desk.ownInsideThenFail("7", "8")));

        assertThat(tagsOf(told)).containsExactly("article-8");
    }

    @Test
    void aTransactionOfItsOwnIsSentBeforeTheOuterOneCommits() {
        application.run(context -> {
            var listener = context.getBean(Listener.class);
            context.getBean(Desk.class)
                    .ownInside(
                            "7",
                            "8",
                            () ->
                                    assertThat(listener.awaitFirst().tags())
                                            .containsExactly("article-8"));
            context.getBean(EsiInvalidator.class).flush().toCompletableFuture().join();
            assertThat(tagsOf(listener.told)).containsExactly("article-7", "article-8");
        });
    }

    @Test
    void whatIsRolledBackToASavepointIsNotSent() {
        var told = told(desk -> desk.nestedThatFails("7", "8", "9"));

        assertThat(tagsOf(told)).containsExactly("article-7", "article-9");
    }

    @Test
    void aReadOnlyTransactionSendsTooWhenItEnds() {
        assertThat(tagsOf(told(desk -> desk.readOnly("7")))).containsExactly("article-7");
    }

    @Test
    void withSupportsAndNoTransactionItIsSentAtOnceWhateverHappensLater() {
        var told =
                told(desk ->
                        assertThatIllegalStateException()
                                .isThrownBy(() -> desk.supportsThenFail("7")));

        assertThat(tagsOf(told)).containsExactly("article-7");
    }

    @Test
    void aFutureIsSentWhenItCompletesAndNotWhenItFails() {
        var told =
                told(desk -> {
                    var good = new CompletableFuture<String>();
                    var bad = new CompletableFuture<String>();
                    var first = desk.later(good);
                    desk.later(bad);
                    good.complete("7");
                    bad.completeExceptionally(new IllegalStateException("no"));
                    assertThat(first.join()).isEqualTo("7");
                });

        assertThat(tagsOf(told)).containsExactly("article-7");
    }

    @Test
    void anyStageIsSentWhenItCompletes() {
        application.run(context -> {
            var desk = context.getBean(Desk.class);
            var listener = context.getBean(Listener.class);
            var invalidator = context.getBean(EsiInvalidator.class);
            var aid = new CompletableFuture<String>();

            var unused = desk.stage(aid);
            invalidator.flush().toCompletableFuture().join();
            assertThat(listener.told).isEmpty();
            aid.complete("7");
            invalidator.flush().toCompletableFuture().join();
            assertThat(tagsOf(listener.told)).containsExactly("article-7");

            var own = new OwnFuture();
            assertThat(desk.own(own)).isSameAs(own);
            own.complete("8");
            invalidator.flush().toCompletableFuture().join();
            assertThat(tagsOf(listener.told)).containsExactly("article-7", "article-8");
        });
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ReturnsDeferred.class,
                ReturnsCallable.class,
                ReturnsWebTask.class,
                ReturnsFuture.class,
                ReturnsPublisher.class
            })
    void aMethodThatReturnsBeforeItsWorkIsDoneStopsTheStart(Class<?> wrong) {
        application
                .withBean(wrong)
                .run(context ->
                        assertThat(messages(context.getStartupFailure()))
                                .contains(
                                        "@InvalidatesFragments on "
                                                + wrong.getName()
                                                + "#save: it returns ",
                                        "CompletionStage"));
    }

    @Test
    void aFaultOfAClientFailsNoCommit() {
        application
                .withBean("mute", SurrogateClient.class, Mute::new)
                .run(context -> {
                    assertThat(context.getBean(Desk.class).save("7", 100)).isEqualTo("Save");
                    context.getBean(EsiInvalidator.class).flush().toCompletableFuture().join();
                    // the other surrogate receives it
                    assertThat(tagsOf(context.getBean(Listener.class).told)).contains("article-7");
                });
    }

    @Test
    void aFaultOfTheInvalidatorFailsNobodyAndIsCounted() {
        application
                .withBean(EsiInvalidator.class, Broken::new)
                .run(context -> {
                    var desk = context.getBean(Desk.class);
                    assertThat(desk.save("7", 100)).isEqualTo("Save");
                    desk.plain("7");
                    assertThat(desk.later(CompletableFuture.completedFuture("7")).join())
                            .isEqualTo("7");
                    assertThat(context.getBean(InvalidationFaults.class).count()).isEqualTo(3);
                });
    }

    @Test
    void anInvalidatorThatCannotBeMadeFailsNobody() {
        application
                .withBean(TagInvalidation.class, () -> tags -> {})
                .withBean(
                        EsiInvalidator.class,
                        () -> {
                            throw new IllegalStateException("cannot be made");
                        },
                        definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context.getBean(Desk.class).save("7", 100)).isEqualTo("Save");
                    assertThat(context.getBean(InvalidationFaults.class).count()).isEqualTo(1);
                });
    }

    @Test
    void anExpressionMayNameSeveralOrNone() {
        assertThat(tagsOf(told(desk -> desk.several(List.of("a", "b"), false))))
                .containsExactly("a", "b");
        assertThat(tagsOf(told(desk -> desk.several(List.of(), true)))).containsExactly("election");
        assertThat(told(desk -> desk.several(List.of(), false))).isEmpty();
    }

    @Test
    void whatCanBeNoTagIsLeftOutAndTheMethodSucceeds() {
        var told = told(desk -> assertThat(desk.save("7 8", 100)).isEqualTo("Save"));

        assertThat(tagsOf(told)).containsExactly("front", "section-100", "title-Save");
        assertThat(tagsOf(told(desk -> desk.failingTemplate("x")))).containsExactly("front");
        // a tag has at most 256 characters
        var most = "x".repeat(248);
        assertThat(tagsOf(told(desk -> desk.several(List.of("a" + "-".repeat(256), "b"), false))))
                .containsExactly("b");
        assertThat(tagsOf(told(desk -> desk.plain(most)))).containsExactly("article-" + most);
    }

    @Test
    void aCallWithATagThatIsTooLongFails() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Invalidation.ofTags("front", "x".repeat(257)))
                .withMessageContaining("longer than 256 characters");
    }

    @Test
    void annotationsMayBeRepeatedAndStandOnOthers() {
        assertThat(told(Desk::composed))
                .containsExactlyInAnyOrder(
                        Invalidation.ofTags("front", "ranking"),
                        Invalidation.ofTags("sitemap").soft());
    }

    @Test
    void pathsAreThoseOfTheSitesThatAreNamed() {
        application
                .withPropertyValues(
                        "quire.invalidation.sites=https://news.example,http://m.news.example:8080")
                .run(context -> {
                    context.getBean(Desk.class).moved("/read?aid=7");
                    assertThat(context.getBean(Listener.class).awaitFirst().urls())
                            .containsExactly(
                                    URI.create("https://news.example/read?aid=7"),
                                    URI.create("http://m.news.example:8080/read?aid=7"));
                });
        assertThat(told(desk -> desk.moved("https://other.example/a")).getFirst().urls())
                .containsExactly(URI.create("https://other.example/a"));
        // a path without site and request
        assertThat(told(desk -> desk.moved("/a"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                BlankTag.class,
                UnknownName.class,
                NoTemplate.class,
                NoResult.class,
                Nothing.class,
                Unreachable.class
            })
    void aWrongAnnotationStopsTheStartAndNamesItsMethod(Class<?> wrong) {
        application
                .withBean(wrong)
                .run(context ->
                        assertThat(messages(context.getStartupFailure()))
                                .contains(
                                        "@InvalidatesFragments on " + wrong.getName() + "#save: "));
    }

    private static String messages(@Nullable Throwable failure) {
        var messages = new StringBuilder();
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            messages.append(cause.getMessage()).append('\n');
        }
        return messages.toString();
    }

    /** An in-process surrogate. */
    static final class Listener implements SurrogateClient {
        final List<Invalidation> told = new CopyOnWriteArrayList<>();
        private final CompletableFuture<Invalidation> first = new CompletableFuture<>();

        Invalidation awaitFirst() {
            return first.orTimeout(30, TimeUnit.SECONDS).join();
        }

        @Override
        public String product() {
            return "listener";
        }

        @Override
        public String name() {
            return "listener";
        }

        @Override
        public Set<Capability> capabilities() {
            return Set.of(Capability.values());
        }

        @Override
        public SurrogateAnswer send(Invalidation invalidation) {
            told.add(invalidation);
            first.complete(invalidation);
            return new SurrogateAnswer.Done();
        }

        @Override
        public SurrogateAnswer reach() {
            return new SurrogateAnswer.Done();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Newsroom {
        @Bean
        Listener listener() {
            return new Listener();
        }

        @Bean
        Rows rows() {
            return new Rows();
        }

        @Bean
        Desk desk(Rows rows) {
            return new Desk(rows);
        }
    }

    @InvalidatesFragments(tags = {"front", "ranking"})
    @Retention(RetentionPolicy.RUNTIME)
    @interface ChangesTheFront {}

    @InvalidatesFragments(tags = "", mode = Invalidation.Mode.SOFT)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Softly {
        @AliasFor(annotation = InvalidatesFragments.class, attribute = "tags")
        String[] value();
    }

    /** Methods called from other beans. */
    static class Rows {
        @InvalidatesFragments(tags = "article-#{#aid}")
        @Transactional
        public void change(String aid) {}

        @InvalidatesFragments(tags = "article-#{#aid}")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void changeOnItsOwn(String aid) {}

        @Transactional(propagation = Propagation.NESTED)
        public void changeNestedAndFail(Rows self, String aid) {
            self.change(aid);
            throw new IllegalStateException("the savepoint is where it goes back to");
        }
    }

    static class Desk {
        private final Rows rows;

        Desk(Rows rows) {
            this.rows = rows;
        }

        @Transactional
        @InvalidatesFragments(
                tags = {"article-#{#aid}", "section-#{#sid}", "front", "title-#{#result}"})
        public String save(String aid, int sid) {
            return "Save";
        }

        @InvalidatesFragments(tags = "article-#{#aid}")
        public void plain(String aid) {}

        @InvalidatesFragments(tags = "article-#{#aid}")
        public void failing(String aid) {
            throw new IllegalStateException("not saved");
        }

        @InvalidatesFragments(tags = {"front", "article-#{#aid.charAt(9)}"})
        public void failingTemplate(String aid) {}

        @Transactional
        public void severalInOne(String... aids) {
            for (var aid : aids) {
                rows.change(aid);
            }
        }

        @Transactional
        public void thenLook(Runnable look) {
            rows.change("7");
            look.run();
        }

        @Transactional
        public void thenFail(String aid) {
            rows.change(aid);
            throw new IllegalStateException("not saved");
        }

        @Transactional
        public void thenRollBack(String aid) {
            rows.change(aid);
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
        }

        @Transactional
        public void ownInsideThenFail(String outer, String inner) {
            rows.change(outer);
            rows.changeOnItsOwn(inner);
            throw new IllegalStateException("not saved");
        }

        @Transactional
        public void ownInside(String outer, String inner, Runnable look) {
            rows.change(outer);
            rows.changeOnItsOwn(inner);
            look.run();
        }

        @Transactional
        public void nestedThatFails(String before, String inside, String after) {
            rows.change(before);
            try {
                rows.changeNestedAndFail(rows, inside);
            } catch (IllegalStateException expected) {
                rows.change(after);
            }
        }

        @Transactional(readOnly = true)
        @InvalidatesFragments(tags = "article-#{#aid}")
        public void readOnly(String aid) {}

        @Transactional(propagation = Propagation.SUPPORTS)
        public void supportsThenFail(String aid) {
            rows.changeOnItsOwn(aid);
            throw new IllegalStateException("what was written is written");
        }

        @InvalidatesFragments(tags = "article-#{#result}")
        public CompletableFuture<String> later(CompletableFuture<String> aid) {
            return aid;
        }

        @InvalidatesFragments(tags = "article-#{#result}")
        public CompletionStage<String> stage(CompletableFuture<String> aid) {
            return aid.minimalCompletionStage();
        }

        @InvalidatesFragments(tags = "article-#{#result}")
        public OwnFuture own(OwnFuture aid) {
            return aid;
        }

        @InvalidatesFragments(tags = {"#{#keys}", "#{#election ? 'election' : null}"})
        public void several(List<String> keys, boolean election) {}

        @ChangesTheFront
        @Softly("sitemap")
        public void composed() {}

        @InvalidatesFragments(urls = "#{#url}")
        public void moved(String url) {}
    }

    /** A custom future type. */
    static final class OwnFuture extends CompletableFuture<String> {}

    /** A surrogate whose client fails to report its capabilities. */
    static final class Mute implements SurrogateClient {
        @Override
        public String product() {
            return "mute";
        }

        @Override
        public String name() {
            return "mute";
        }

        @Override
        public Set<Capability> capabilities() {
            throw new IllegalStateException("a fault");
        }

        @Override
        public SurrogateAnswer send(Invalidation invalidation) {
            throw new IllegalStateException("a fault");
        }

        @Override
        public SurrogateAnswer reach() {
            throw new IllegalStateException("a fault");
        }
    }

    /** A custom invalidator that fails. */
    static final class Broken implements EsiInvalidator {
        @Override
        public void purge(Invalidation invalidation) {
            throw new NoClassDefFoundError("a/library/that/is/not/there");
        }

        @Override
        public CompletionStage<InvalidationReport> flush() {
            throw new IllegalStateException("a fault");
        }
    }

    static class ReturnsDeferred {
        @InvalidatesFragments(tags = "front")
        public DeferredResult<String> save() {
            return new DeferredResult<>();
        }
    }

    static class ReturnsCallable {
        @InvalidatesFragments(tags = "front")
        public Callable<String> save() {
            return () -> "saved";
        }
    }

    static class ReturnsWebTask {
        @InvalidatesFragments(tags = "front")
        public WebAsyncTask<String> save() {
            return new WebAsyncTask<>(() -> "saved");
        }
    }

    static class ReturnsFuture {
        @InvalidatesFragments(tags = "front")
        public Future<String> save() {
            return CompletableFuture.completedFuture("saved");
        }
    }

    static class ReturnsPublisher {
        @InvalidatesFragments(tags = "front")
        public Flow.Publisher<String> save() {
            return Flow.Subscriber::onComplete;
        }
    }

    static class BlankTag {
        @InvalidatesFragments(tags = "most read")
        public void save() {}
    }

    static class UnknownName {
        @InvalidatesFragments(tags = "article-#{#bid}")
        public void save(String aid) {}
    }

    static class NoTemplate {
        @InvalidatesFragments(tags = "article-#{#aid")
        public void save(String aid) {}
    }

    static class NoResult {
        @InvalidatesFragments(urls = "/read?aid=#{#result}")
        public void save() {}
    }

    static class Nothing {
        @InvalidatesFragments
        public void save() {}
    }

    static class Unreachable {
        @InvalidatesFragments(tags = "front")
        public final void save() {}
    }
}
