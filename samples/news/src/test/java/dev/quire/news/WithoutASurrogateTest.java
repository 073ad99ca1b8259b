package dev.quire.news;

import dev.quire.news.reader.ReadersOfThePaper;
import dev.quire.test.junit.EsiTest;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import org.junit.jupiter.api.Nested;

/** The paper on its Tomcat, without a surrogate in front. */
@EsiTest
@NewsSiteTest
@AutoConfigureEsi(mode = EsiMode.IN_APPLICATION)
class WithoutASurrogateTest {

    @Nested
    class Pages extends PagesAsRead {}

    @Nested
    class Readers extends ReadersOfThePaper {}
}
