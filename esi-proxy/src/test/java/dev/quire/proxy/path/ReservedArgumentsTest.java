package dev.quire.proxy.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReservedArgumentsTest {
    private static final ReservedArguments ESI = new ReservedArguments(Optional.of("esi_"));

    @ParameterizedTest
    @CsvSource({
        "/p?esi_a=1,                /p",
        "/p?a=1&esi_a=1,            /p?a=1",
        "/p?esi_a=1&a=1,            /p?a=1",
        "/p?a=1&esi_a&b=2&esi_,     /p?a=1&b=2",
        "/p?a=esi_1,                /p?a=esi_1",
        "/p?ESI_a=1,                /p?ESI_a=1",
        "/p?&&a,                    /p?&&a",
        "/p?,                       /p?",
        "/esi_p,                    /esi_p"
    })
    void onlyTheyAreRemoved(String target, String left) {
        assertThat(ESI.removedFrom(key(target))).isEqualTo(key(left));
    }

    @Test
    void withoutAPrefixNothingIs() {
        assertThat(new ReservedArguments(Optional.empty()).removedFrom(key("/p?esi_a=1")))
                .isEqualTo(key("/p?esi_a=1"));
    }

    private static CacheKey key(String target) {
        return new CacheKey(Scheme.HTTP, "news.test", target);
    }
}
