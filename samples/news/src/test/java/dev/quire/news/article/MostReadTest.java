package dev.quire.news.article;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.time.LocalDateTime;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

class MostReadTest {
    private EmbeddedDatabase database;
    private Articles articles;
    private ReadCounter counter;

    @BeforeEach
    void store() {
        database =
                new EmbeddedDatabaseBuilder()
                        .generateUniqueName(true)
                        .setType(EmbeddedDatabaseType.H2)
                        .addScript("schema.sql")
                        .build();
        articles = new Articles(JdbcClient.create(database), new JdbcTemplate(database));
        articles.add(IntStream.rangeClosed(1, 5).mapToObj(MostReadTest::article).toList());
        counter = new ReadCounter(articles);
    }

    @AfterEach
    void close() {
        database.shutdown();
    }

    @Test
    void readsCountOnceTheyAreCarriedToTheStore() {
        read(3, 5);
        read(1, 2);

        assertThat(articles.mostRead(10)).isEmpty();
        counter.flush();

        assertThat(articles.mostRead(10))
                .extracting(one -> one.article().id().aid(), ReadArticle::reads)
                .containsExactly(tuple("0000000003", 5L), tuple("0000000001", 2L));
    }

    @Test
    void noReadIsCarriedTwice() {
        read(2, 4);

        counter.flush();
        counter.flush();
        read(2, 1);
        counter.flush();

        assertThat(articles.mostRead(1)).extracting(ReadArticle::reads).containsExactly(5L);
    }

    @Test
    void anArticleIsReadBackAsItWasStored() {
        assertThat(articles.find(new ArticleId("001", "0000000004"))).hasValue(article(4));
        assertThat(articles.find(new ArticleId("002", "0000000004"))).isEmpty();
    }

    private void read(int number, int times) {
        for (int i = 0; i < times; i++) {
            counter.count(article(number).id().aid());
        }
    }

    private static Article article(int number) {
        return new Article(
                new ArticleId("001", "%010d".formatted(number)),
                Section.LIFE,
                false,
                LocalDateTime.of(2012, 12, 1, 8, number),
                "Head line " + number,
                "Standfirst " + number,
                List.of("First paragraph.", "Second paragraph."));
    }
}
