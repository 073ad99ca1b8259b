package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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
    @EnumSource(Kind.class)
    void pageWithoutAPartThatItNeedsIsABadGatewayOrLate(Kind kind) {
        assertThat(ErrorPage.ofPage(new Failure(Side.ORIGIN, kind, "x")).status())
                .isEqualTo(kind == Kind.TIMEOUT ? 504 : 502);
    }
}
