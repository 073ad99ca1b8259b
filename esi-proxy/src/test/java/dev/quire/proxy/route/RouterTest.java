package dev.quire.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.route.Router.Match.Matched;
import dev.quire.proxy.route.Router.Match.UnknownHost;
import dev.quire.proxy.route.Router.Match.UnknownPath;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouterTest {
    private final Router<String> router =
            new Router<>(
                    List.of(
                            route("news.example", "/api/**", "api"),
                            route("news.example", "/main/*", "main"),
                            route("*.example", "/main/**", "others")));

    @Test
    void firstRouteThatMatchesWins() {
        assertThat(match("news.example", "/api/x/y")).isEqualTo(new Matched<>("api"));
        assertThat(match("news.example", "/main/home")).isEqualTo(new Matched<>("main"));
        assertThat(match("news.example", "/main/a/b")).isEqualTo(new Matched<>("others"));
    }

    @Test
    void queryIsNoPartOfThePath() {
        assertThat(match("news.example", "/main/home?to=/a/b")).isEqualTo(new Matched<>("main"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//api/x",
                "/api//x",
                "/api;a=b/x",
                "/;a/api/x",
                "/;a;b//;c/api/;d",
                "/%2Fapi/x",
                "/%61pi%3Ba=b/x",
                "/api;a=/x?q=;//y"
            })
    void pathParametersAndRepeatedSlashesDoNotLeaveARoute(String target) {
        assertThat(match("news.example", target)).isEqualTo(new Matched<>("api"));
        assertThat(match("news.example", target.replace("pi", "po")))
                .isEqualTo(new UnknownPath<>());
    }

    @Test
    void patternWithAParameterOrRepeatedSlashesMatchesThePathAsItIs() {
        var exact =
                new Router<>(
                        List.of(
                                route("*", "/a;v=1/**", "parameter"),
                                route("*", "/a//**", "slashes"),
                                route("*", "/a/**", "plain")));

        assertThat(exact.match(new CacheKey(Scheme.HTTP, "h", "/a;v=1/x")))
                .isEqualTo(new Matched<>("parameter"));
        assertThat(exact.match(new CacheKey(Scheme.HTTP, "h", "/a//x")))
                .isEqualTo(new Matched<>("slashes"));
        assertThat(exact.match(new CacheKey(Scheme.HTTP, "h", "/a;v=2/x")))
                .isEqualTo(new Matched<>("plain"));
    }

    @Test
    void unknownHostAndUnknownPathAreToldApart() {
        assertThat(match("other.test", "/main/home")).isEqualTo(new UnknownHost<>());
        assertThat(match("news.example", "/elsewhere")).isEqualTo(new UnknownPath<>());
    }

    private Router.Match<String> match(String authority, String target) {
        return router.match(new CacheKey(Scheme.HTTP, authority, target));
    }

    private static Router.Route<String> route(String host, String path, String target) {
        return new Router.Route<>(new HostPattern(host), new PathPattern(path), target);
    }
}
