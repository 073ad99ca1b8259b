package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.ContentHash;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * docs/esi.md, Caching: the permissions of a client for the assembled page follow from its parts.
 */
class PageHeadTest {
    private static final ClientLifetime SILENT = ClientLifetime.of(Fields.EMPTY, Duration.ZERO);
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");

    private record Stored(
            int status, boolean isShared, ClientLifetime lifetime, SelectingFields selecting)
            implements PageHead.Part {
        @Override
        public ClientLifetime clientLifetimeAt(Instant now) {
            return lifetime;
        }

        @Override
        public boolean hasClientLifetime() {
            return !lifetime.equals(SILENT);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-age=60 | max-age=90 | true | max-age=60",
                "max-age=60 | max-age=20 | true | max-age=20",
                "max-age=60 | no-cache | true | no-cache",
                "max-age=60 | max-age=90 | false | private, max-age=60",
                "no-cache | private, max-age=9 | false | private, no-cache",
                "public, max-age=60 | public, max-age=60 | true | public, max-age=60",
            })
    void lifetimeIsThatOfTheMostRestrictivePart(
            String document, String fragment, boolean isShared, String expected) {
        var head = head(stored(document, true));
        head.joined(stored(fragment, isShared));

        assertThat(head.snapshot(true, true).cacheControl()).isEqualTo(expected);
    }

    @Test
    void headWaitsForAllPartsOnlyIfTheyDecideItsLifetime() {
        assertThat(head(stored("max-age=60", true)).needsAllParts()).isTrue();
        assertThat(head(stored("no-cache", true)).needsAllParts()).isFalse();
        assertThat(new PageHead<>(stored("no-cache", true), () -> now, true, false).needsAllParts())
                .isTrue();
    }

    @Test
    void lifetimesRunDownWhileOtherPartsAreWaitedFor() {
        var head = head(stored("max-age=60", true));
        head.joined(stored("max-age=30", true));
        head.timePasses();
        now = now.plusSeconds(10);

        assertThat(head.snapshot(true, true).cacheControl()).isEqualTo("max-age=20");
    }

    @Test
    void pageIsSentWithoutPromiseBeforeAllPartsAreKnown() {
        var said = head(stored("no-cache", true)).snapshot(false, false);

        assertThat(said.cacheControl()).isEqualTo("private, no-cache");
        assertThat(said.tag()).isNull();
    }

    @Test
    void pageWithAnOmissionIsNotKeptAndCountsItsErrors() {
        var head = head(stored("max-age=60", true));
        head.omitted();
        head.problem();

        assertThat(head.snapshot(true, true).cacheControl()).isEqualTo("no-store");
        assertThat(head.snapshot(true, true).errors()).isEqualTo(2);
        assertThat(head.snapshot(true, false).errors()).isZero();
        assertThat(head.mayHaveTag()).isFalse();
    }

    @Test
    void tagFollowsWhatIsWritten() {
        var one = head(stored("no-cache", true));
        var other = head(stored("no-cache", true));
        var again = head(stored("no-cache", true));
        one.wrote(hash("a"), 0, 1);
        one.wrote("x".getBytes(StandardCharsets.US_ASCII));
        again.wrote(hash("a"), 0, 1);
        again.wrote("x".getBytes(StandardCharsets.US_ASCII));
        other.wrote(hash("a"), 0, 1);

        assertThat(one.snapshot(true, true).tag())
                .startsWith("W/\"")
                .isEqualTo(again.snapshot(true, true).tag())
                .isNotEqualTo(other.snapshot(true, true).tag());
        assertThat(one.snapshot(true, false).tag()).isNull();
    }

    @Test
    void pageOfOneClientHasNoTag() {
        var head = head(stored("no-cache", true));
        head.isPersonal();
        head.wrote(hash("a"), 0, 1);

        assertThat(head.snapshot(true, true).tag()).isNull();
        assertThat(head.snapshot(true, true).cacheControl()).isEqualTo("private, no-cache");
    }

    @Test
    void cookieMakesThePagePrivate() {
        var head = head(stored("max-age=60", true));
        head.setCookie("a=1");

        assertThat(head.snapshot(true, true).cookies()).containsExactly("a=1");
        assertThat(head.snapshot(true, true).cacheControl()).isEqualTo("private, max-age=60");
    }

    @Test
    void partOfOneClientRestrictsAPageThatWaitsForIt() {
        var head = head(stored("max-age=60", true));
        head.joined(lifetime("max-age=5"));

        assertThat(head.snapshot(true, true).cacheControl()).isEqualTo("private, max-age=5");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "404 | no-cache | no-store",
                "404 | max-age=60 | max-age=60",
                "302 | no-cache | no-cache"
            })
    void errorThatThePageMakesOfItselfIsKeptOnlyIfItSaysSo(
            int status, String own, String expected) {
        var head = head(stored(own, true));
        head.amended(PageAmendment.of(new ResponseEdits(status, List.of(), null), 0));

        var said = head.snapshot(true, true);

        assertThat(said.status()).isEqualTo(status);
        assertThat(said.cacheControl()).isEqualTo(expected);
        assertThat(said.tag()).isNull();
    }

    @Test
    void whatPicksAFragmentPicksThePage() {
        var head = head(stored("no-cache", true, "accept-language"));
        head.joined(stored("no-cache", true, "Accept-Language, X-Plan"));
        head.joined(stored("no-cache", true, "X-Plan, Accept-Encoding"));
        head.joined(stored("no-cache", false, "X-Own"));

        assertThat(head.snapshot(true, true).varies()).containsExactly("x-plan");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no-store | public, max-age=9999 | no-store",
                "private, max-age=60 | public, max-age=9999 | private, max-age=60",
                "max-age=60 | max-age=30 | max-age=30",
                "max-age=60 | no-store | no-store",
            })
    void pageOnlyRestrictsWhatItsDocumentAllows(String document, String added, String expected) {
        var head = head(stored(document, true));

        head.amended(
                PageAmendment.of(
                        new ResponseEdits(
                                0, List.of(new ResponseEdits.Field("Cache-Control", added)), null),
                        0));

        assertThat(head.snapshot(true, true).cacheControl()).isEqualTo(expected);
    }

    private PageHead<Stored> head(Stored page) {
        return new PageHead<>(page, () -> now, false, true);
    }

    private static Stored stored(String cacheControl, boolean isShared, String... vary) {
        var request = new RequestHead("GET", Scheme.HTTP, "a.test", "/", Fields.EMPTY);
        var fields = new Fields.Builder();
        for (var line : vary) {
            fields.add("Vary", line);
        }
        return new Stored(
                200,
                isShared,
                lifetime(cacheControl),
                SelectingFields.of(fields.build(), SentRequest.of(request)));
    }

    private static ClientLifetime lifetime(String cacheControl) {
        return ClientLifetime.of(Fields.of("Cache-Control", cacheControl), Duration.ZERO);
    }

    private static ContentHash hash(String text) {
        return ContentHash.of(text.getBytes(StandardCharsets.US_ASCII));
    }
}
