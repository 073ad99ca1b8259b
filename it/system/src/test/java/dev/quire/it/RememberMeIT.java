package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.RunningProxy;
import org.junit.jupiter.api.Test;
import org.springframework.util.StringUtils;

/** Remember-me logins after the end of a session, on pages with private fragments. */
class RememberMeIT {

    private static int greetings(Browser reader, String target, String name) {
        return StringUtils.countOccurrencesOf(reader.get(target).text(), "<p>you are " + name);
    }

    private static void endSession(Browser reader) {
        assertThat(reader.cookies().remove("JSESSIONID")).isNotNull();
    }

    /**
     * A fragment must not use up a token: the client would not get the new one, and the old one
     * would look stolen.
     */
    @Test
    void tokensThatServeOnceAreLeftToPages() {
        try (var site = MembersSite.start("site.rotating-tokens=true");
                var proxy = RunningProxy.inFrontOf(site.url()).start()) {
            new Browser(proxy.http()).get("/names"); // stores the page
            var ann = Browser.remembered(proxy.http(), "ann", "1");
            for (int day = 0; day < 3; day++) {
                endSession(ann);
                var token = ann.cookies().get("remember-me");

                assertThat(greetings(ann, "/names", "null")).isEqualTo(8);
                assertThat(ann.cookies()).containsEntry("remember-me", token);
                assertThat(ann.get("/members/profile").text()).startsWith("profile of ann");
                assertThat(ann.cookies().get("remember-me")).isNotEqualTo(token);
                assertThat(greetings(ann, "/names", "ann")).isEqualTo(8);
                assertThat(greetings(ann, "/members/profile", "ann")).isEqualTo(8);
            }
        }
    }

    @Test
    void tokensThatStayAreGoodForFragmentsToo() {
        try (var site = MembersSite.start();
                var proxy = RunningProxy.inFrontOf(site.url()).start()) {
            var ann = Browser.remembered(proxy.http(), "ann", "1");
            endSession(ann);

            assertThat(greetings(ann, "/names", "ann")).isEqualTo(8);
        }
    }

    @Test
    void whereTheApplicationPutsThePageTogetherItsReaderIsKnownAtOnce() {
        for (var mode : new String[] {"dispatch", "loopback"}) {
            try (var site =
                    MembersSite.start("site.rotating-tokens=true", "quire.fallback.mode=" + mode)) {
                var ann = Browser.remembered(site.address(), "ann", "1");
                for (int day = 0; day < 3; day++) {
                    endSession(ann);

                    assertThat(greetings(ann, "/names", "ann")).as(mode).isEqualTo(8);
                }
            }
        }
    }
}
