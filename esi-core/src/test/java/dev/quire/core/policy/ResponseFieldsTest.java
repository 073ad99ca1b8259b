package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9110 §8, §15; docs/esi.md, Of the response. */
class ResponseFieldsTest {

    /** To clients, of an assembled page, set by a page. */
    @ParameterizedTest
    @CsvSource({
        "Content-Type,        true,  true,  true",
        "Set-Cookie,          true,  true,  true",
        "Location,            true,  true,  true",
        "Vary,                true,  true,  true",
        "X-Anything,          true,  true,  true",
        "Cache-Control,       true,  false, true",
        "CDN-Cache-Control,   true,  true,  false",
        "ETag,                true,  false, false",
        "Last-Modified,       true,  false, false",
        "Expires,             true,  false, false",
        "Pragma,              true,  false, false",
        "Accept-Ranges,       true,  false, false",
        "Content-Digest,      true,  false, false",
        "Repr-Digest,         true,  false, false",
        "Digest,              true,  false, false",
        "Content-MD5,         true,  false, false",
        "Date,                true,  true,  false",
        "Via,                 true,  true,  false",
        "Content-Encoding,    true,  true,  false",
        "Content-Range,       true,  true,  false",
        "X-ESI-Errors,        true,  true,  false",
        "Age,                 false, true,  false",
        "Content-Length,      false, true,  false",
        "Surrogate-Control,   false, true,  false",
        "Surrogate-Key,       false, true,  false",
        "Esi-Variant,         false, true,  false",
    })
    void eachFieldHasItsWay(String name, boolean toClients, boolean ofPage, boolean set) {
        assertThat(ResponseFields.goesToClients(name)).isEqualTo(toClients);
        assertThat(ResponseFields.survivesAssembly(name)).isEqualTo(ofPage);
        assertThat(ResponseFields.mayBeSet(name)).isEqualTo(set);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Content-MD5", "Digest", "content-digest", "Repr-Digest", "Accept-Ranges"})
    void digestsAreOfTheBytesThatCame(String name) {
        assertThat(ResponseFields.isOfBytes(name)).isTrue();
    }

    @Test
    void aPartHasNeitherTheRangeNorTheDigestOfTheWhole() {
        assertThat(ResponseFields.isOfWhole("Content-Range")).isTrue();
        assertThat(ResponseFields.isOfWhole("Content-Digest")).isTrue();
        assertThat(ResponseFields.isOfWhole("Content-MD5")).isTrue();
        assertThat(ResponseFields.isOfWhole("Repr-Digest")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 204, 299, 302, 400, 404, 418, 500, 599})
    void aPageMayHaveAFinalStatus(int status) {
        assertThat(ResponseFields.isStatusOfPage(status)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 100, 199, 205, 206, 304, 416, 600, 99999})
    void aPageMayNotAnswerAConditionOrARange(int status) {
        assertThat(ResponseFields.isStatusOfPage(status)).isFalse();
    }

    /** RFC 9110 §15.4.5. */
    @Test
    void a304RepeatsWhatAStoredResponseIsUpdatedBy() {
        assertThat(ResponseFields.OF_NOT_MODIFIED)
                .contains("Content-Location", "Date", "ETag", "Vary", "Cache-Control", "Expires")
                .doesNotContain("Content-Length", "Content-Type", "Set-Cookie");
        assertThat(ResponseFields.OF_NOT_MODIFIED).containsAll(ResponseFields.OF_NOT_MODIFIED_PAGE);
    }
}
