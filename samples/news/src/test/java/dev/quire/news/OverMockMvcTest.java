package dev.quire.news;

import dev.quire.news.editor.Newsroom;
import dev.quire.news.reader.ReadersOfThePaper;
import dev.quire.test.junit.EsiTest;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import org.junit.jupiter.api.Nested;

/** The paper without a server, behind the proxy. */
@EsiTest
@NewsSiteTest
@AutoConfigureEsi(mode = EsiMode.MOCK_MVC)
class OverMockMvcTest {

    @Nested
    class Pages extends PagesAsStored {}

    @Nested
    class Readers extends ReadersOfThePaper {}

    @Nested
    class Night extends ElectionNight {}

    @Nested
    class Desk extends Newsroom {}
}
