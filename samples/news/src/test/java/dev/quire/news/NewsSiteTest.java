package dev.quire.news;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;

/** A test against the whole site on its own Tomcat, with the vote feed off. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "news.feed.running=false",
            "news.database=jdbc:h2:mem:site;DB_CLOSE_DELAY=-1",
            "quire.variants.secret=" + NewsSiteTest.SECRET
        })
@AutoConfigureMockMvc
public @interface NewsSiteTest {
    /** The secret for signing readers' variants, shared with the surrogate in front. */
    String SECRET = "known to the paper and its surrogate";
}
