package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.guard.SurrogateFilter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * A filter of the application compresses, on Tomcat: stamps that cannot be swapped are not sent.
 */
@SpringBootTest(
        classes = {StrangeSite.class, ZippedInsideTest.Filters.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.stamp.placeholder=" + StampTest.SECRET)
@ExtendWith(OutputCaptureExtension.class)
class ZippedInsideTest {

    @TestConfiguration
    static class Filters {

        /** Between our two filters. */
        @Bean
        FilterRegistrationBean<Zip> between() {
            var registration = new FilterRegistrationBean<>(new Zip(false));
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 10);
            registration.addUrlPatterns("/text", "/view", "/chosen/plain");
            return registration;
        }

        /** The same for a filter that asks whether compression is wanted. */
        @Bean
        FilterRegistrationBean<Zip> polite() {
            var registration = new FilterRegistrationBean<>(new Zip(true));
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE + 10);
            registration.addUrlPatterns("/polite");
            return registration;
        }

        /** Inside both. */
        @Bean
        FilterRegistrationBean<Zip> inside() {
            var registration = new FilterRegistrationBean<>(new Zip(false));
            registration.setOrder(SurrogateFilter.ORDER + 10);
            registration.addUrlPatterns("/entity", "/without-tags");
            return registration;
        }
    }

    @LocalServerPort private int port;

    private Visitor announcing(String capability) {
        return Visitor.of(port)
                .with("Surrogate-Capability", capability)
                .with("Accept", "text/html");
    }

    private Visitor surrogate() {
        return announcing("quire=\"ESI/1.0 Stamp/1.nonce_of_this-request0\"");
    }

    private static String unzipped(HttpResponse<byte[]> answer) throws IOException {
        assertThat(answer.headers().firstValue("Content-Encoding")).contains("gzip");
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
            return new String(plain.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/text", "/view", "/entity"})
    void aSurrogateWithStampsGetsNoneOfIt(String target, CapturedOutput output) {
        var page = surrogate().getBytes(target);

        assertThat(page.statusCode()).isEqualTo(500);
        assertThat(page.headers().firstValue("Content-Encoding")).isEmpty();
        // of the error page, whose tags would be ours; it does not affect caching
        assertThat(page.headers().firstValue("Surrogate-Control"))
                .hasValue("stamp=\"nonce_of_this-request0\"");
        assertThat(new String(page.body(), StandardCharsets.ISO_8859_1))
                .doesNotContain(StampTest.SECRET);
        assertThat(output).contains("leave compression to server.compression.enabled");
    }

    @Test
    void aFilterThatHeedsAcceptEncodingLeavesStampsReadable() {
        var page = surrogate().with("Accept-Encoding", "gzip").getBytes("/polite");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(new String(page.body(), StandardCharsets.UTF_8))
                .isEqualTo("<p><esi:nonce_of_this-request0:include src=\"/part\"/></p>");
    }

    @Test
    void forOthersTheStampsAreGoneBeforeTheFilterBetweenCompresses() throws IOException {
        var page = announcing("varnish=\"Surrogate/1.0 ESI/1.0\"").getBytes("/text");

        assertThat(unzipped(page)).isEqualTo("<p><esi:include src=\"/part\"/></p>");
        assertThat(unzipped(Visitor.of(port).with("Accept", "text/html").getBytes("/text")))
                .isEqualTo("<p>part</p>");
        assertThat(announcing("varnish=\"ESI/1.0\"").getBytes("/entity").statusCode())
                .isEqualTo(500);
        assertThat(Visitor.of(port).getBytes("/entity").statusCode()).isEqualTo(500);
    }

    @Test
    void whatHasNoTagsIsCompressedAsEver() throws IOException {
        assertThat(unzipped(surrogate().getBytes("/chosen/plain?charset=UTF-8")))
                .isEqualTo("no tags");
        assertThat(unzipped(surrogate().getBytes("/without-tags"))).isEqualTo("part");
    }
}
