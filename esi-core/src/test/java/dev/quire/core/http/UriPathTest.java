package dev.quire.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class UriPathTest {

    @Test
    void simplifiedPathHasNeitherParametersNorRepeatedSlashes() {
        var random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            var path = new StringBuilder("/");
            for (int length = random.nextInt(12); length > 0; length--) {
                path.append("ab=;;///%.".charAt(random.nextInt(10)));
            }

            assertThat(UriPath.simplified(path.toString()))
                    .as("%s", path)
                    .isEqualTo(path.toString().replaceAll(";[^/]*", "").replaceAll("/+", "/"));
        }
    }

    @Test
    void ordinaryPathIsNotCopied() {
        var path = "/a/b.html=c";

        assertThat(UriPath.simplified(UriPath.decoded(path))).isSameAs(path);
    }
}
