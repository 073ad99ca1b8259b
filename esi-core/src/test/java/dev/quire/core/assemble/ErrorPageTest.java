package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9110 §15.5, §15.6: the status of a failure. */
class ErrorPageTest {

    @ParameterizedTest
    @CsvSource({
        "CLIENT, TIMEOUT,      408",
        "CLIENT, MALFORMED,    400",
        "CLIENT, UNREACHABLE,  504",
        "ORIGIN, TIMEOUT,      504",
        "ORIGIN, CIRCUIT_OPEN, 503",
        "ORIGIN, UNREACHABLE,  502",
        "ORIGIN, TRUNCATED,    502",
        "ORIGIN, MALFORMED,    502",
        "PROXY,  OVERLOAD,     503",
        "PROXY,  TIMEOUT,      504",
        "PROXY,  TOO_LARGE,    502",
        "PROXY,  BUG,          500"
    })
    void statusFollowsFromSideAndKind(Side side, Kind kind, int status) {
        assertThat(ErrorPage.of(new Failure(side, kind, "secret")).status()).isEqualTo(status);
        assertThat(ErrorPage.of(new Failure(side, kind, "secret")).text()).doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 405, 408, 414, 417, 431, 501, 505, 508})
    void refusedRequestHasATitleAndASentence(int status) {
        var page = ErrorPage.ofRefused(status);

        assertThat(page.status()).isEqualTo(status);
        assertThat(page.title()).isNotEqualTo("Error");
        assertThat(page.text()).endsWith(".");
    }

    @Test
    void statusWithoutASentenceIsRejected() {
        assertThatThrownBy(() -> ErrorPage.ofRefused(418))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void pageInPlaceOfAResponseKeepsTheFieldsOfItsStatus() {
        var received =
                Fields.of(
                        "WWW-Authenticate", "Basic",
                        "Retry-After", "7",
                        "Set-Cookie", "a=b",
                        "X-Detail", "secret");

        var page = ErrorPage.ofIntercepted(401, received);

        assertThat(page.status()).isEqualTo(401);
        assertThat(page.fields())
                .isEqualTo(Fields.of("WWW-Authenticate", "Basic", "Retry-After", "7"));
    }

    @Test
    void pageOfTheOperatorCannotBeReused() {
        var page =
                Fields.of(
                        "Content-Type", "text/html",
                        "cache-control", "max-age=60",
                        "Age", "5",
                        "ETag", "\"1\"",
                        "Set-Cookie", "a=b",
                        "Retry-After", "60");

        assertThat(new ErrorPage(503, "x").in(page))
                .isEqualTo(
                        Fields.of(
                                "Content-Type", "text/html",
                                "Cache-Control", "no-store",
                                "X-Content-Type-Options", "nosniff",
                                "Retry-After", "1"));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void pageWithoutAPartThatItNeedsIsABadGatewayOrLate(Kind kind) {
        assertThat(ErrorPage.ofPage(new Failure(Side.ORIGIN, kind, "x")).status())
                .isEqualTo(kind == Kind.TIMEOUT ? 504 : 502);
    }
}
