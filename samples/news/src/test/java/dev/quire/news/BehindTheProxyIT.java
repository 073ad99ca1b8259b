package dev.quire.news;

import static dev.quire.news.Paper.FIRST_READER;
import static dev.quire.news.Paper.FRONT_PAGE;
import static dev.quire.news.Paper.GREETING;
import static dev.quire.news.Paper.KEPT_ARTICLES;
import static dev.quire.news.Paper.LIVE_COUNT;
import static dev.quire.news.Paper.MOST_READ;
import static dev.quire.news.Paper.SCRAP_COUNT;
import static dev.quire.news.Paper.SECOND_READER;
import static dev.quire.test.EsiAssertions.assertThat;

import dev.quire.news.editor.Newsroom;
import dev.quire.news.reader.ReadersOfThePaper;
import dev.quire.test.Assembling;
import dev.quire.test.junit.EsiTest;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import dev.quire.test.wire.RunningProxy;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

/** The paper behind the real proxy. */
@EsiTest
@NewsSiteTest
@AutoConfigureEsi(mode = EsiMode.PROXY)
class BehindTheProxyIT {

    @Nested
    class Pages extends PagesAsStored {}

    @Nested
    class Readers extends ReadersOfThePaper {}

    @Nested
    class Night extends ElectionNight {}

    @Nested
    class Desk extends Newsroom {}

    @Test
    void nothingThatTheProxyKeepsKnowsWhoReads(@Autowired ApplicationContext paper) {
        var started = new AtomicReference<RunningProxy>();
        try (var site =
                SpringSite.over(paper, EsiMode.PROXY)
                        .assembledBy(Assembling.proxy(setup -> setup.whenStarted(started::set)))) {
            for (var reader : List.of(FIRST_READER, SECOND_READER)) {
                assertThat(site.as(reader).get(FRONT_PAGE)).contains(reader.name());
                site.as(reader).get(KEPT_ARTICLES);
            }

            assertThat(started.get().stored())
                    .extracting(entry -> URI.create(entry.url()).getPath())
                    .contains(FRONT_PAGE, LIVE_COUNT, MOST_READ)
                    .doesNotContain(GREETING, SCRAP_COUNT, KEPT_ARTICLES, "/login");
            assertThat(started.get().stored()).anyMatch(entry -> entry.contains("Live count"));
            assertThat(started.get().stored())
                    .noneMatch(entry -> entry.contains("reader1") || entry.contains("reader2"));
        }
    }
}
