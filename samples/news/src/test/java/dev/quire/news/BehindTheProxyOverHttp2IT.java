package dev.quire.news;

import dev.quire.news.reader.ReadersOfThePaper;
import dev.quire.test.junit.EsiTest;
import dev.quire.test.junit.internal.OverHttp2;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import org.junit.jupiter.api.Nested;

/** The paper behind the real proxy, which its readers reach over HTTP/2 and TLS. */
@EsiTest
@NewsSiteTest
@AutoConfigureEsi(mode = EsiMode.PROXY)
@OverHttp2
class BehindTheProxyOverHttp2IT {

    @Nested
    class Pages extends PagesAsStored {}

    @Nested
    class Readers extends ReadersOfThePaper {}

    @Nested
    class Night extends ElectionNight {}
}
