package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quire.spring.internal.policy.Precedence;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FragmentPolicyTest {

    private static FragmentPolicy policyOf(String method) throws NoSuchMethodException {
        return FragmentPolicy.of(
                Precedence.declared(Handlers.class.getDeclaredMethod(method), Handlers.class)
                        .orElseThrow(),
                "Handlers#" + method,
                method,
                Set.of("aid"));
    }

    private static void assertRefused(String method, String... parts) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policyOf(method))
                .withMessageStartingWith("@EsiFragment on Handlers#" + method + ": ")
                .satisfies(error -> assertThat(error.getMessage()).contains(parts));
    }

    @Test
    void durationsAreWrittenInEitherWay() throws Exception {
        assertThat(policyOf("simple").surrogateControl())
                .isEqualTo("max-age=90+0, stale-if-error=86400");
        assertThat(policyOf("iso").surrogateControl()).isEqualTo("max-age=90");
    }

    @Test
    void theAnnotationMayStandOnAnother() throws Exception {
        assertThat(policyOf("composed").surrogateControl()).isEqualTo("max-age=3");
    }

    @Test
    void whatIsNoDurationIsRefused() {
        assertRefused("noUnit", "ttl = \"30\"", "expected whole seconds, such as 30s");
        assertRefused("tooFine", "ttl = \"500ms\"");
        assertRefused("negative", "stale = \"-1s\"");
        assertRefused("noNumber", "staleIfError = \"soon\"");
    }

    @Test
    void whatCanBeNoTagIsRefused() {
        assertRefused("blankTag", "tag 'most read'");
        assertRefused("unknownArgument", "tag 'a-#{#bid}'", "#bid", "[aid]");
        assertRefused("brokenTemplate", "tag 'a-#{#aid'");
        assertRefused("brokenExpression", "tag 'a-#{#aid +}'");
    }

    @Test
    void aPrivateFragmentHasNothingToStore() {
        assertRefused("privateButStored", "scope PRIVATE", "ttl, tags");
    }

    @Test
    void aCacheControlFieldOfSeveralLinesIsRefused() {
        assertRefused("twoLines", "browser is not a Cache-Control value");
    }

    @EsiFragment(ttl = "3s")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Ticker {}

    interface Handlers {
        @EsiFragment(ttl = "90s", stale = "0s", staleIfError = "1d", tags = "a-#{#aid}")
        void simple();

        @EsiFragment(ttl = "PT1M30S")
        void iso();

        @Ticker
        void composed();

        @EsiFragment(ttl = "30")
        void noUnit();

        @EsiFragment(ttl = "500ms")
        void tooFine();

        @EsiFragment(ttl = "1s", stale = "-1s")
        void negative();

        @EsiFragment(ttl = "1s", staleIfError = "soon")
        void noNumber();

        @EsiFragment(ttl = "1s", tags = "most read")
        void blankTag();

        @EsiFragment(ttl = "1s", tags = "a-#{#bid}")
        void unknownArgument();

        @EsiFragment(ttl = "1s", tags = "a-#{#aid")
        void brokenTemplate();

        @EsiFragment(ttl = "1s", tags = "a-#{#aid +}")
        void brokenExpression();

        @EsiFragment(ttl = "1s", tags = "a", scope = EsiFragment.Scope.PRIVATE)
        void privateButStored();

        @EsiFragment(browser = "no-cache\r\nSet-Cookie: a=b")
        void twoLines();
    }
}
