package dev.quire.spring;

import org.springframework.boot.test.context.SpringBootTest;

/** The language is the same with fragments over HTTP. */
@SpringBootTest(
        classes = Language.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.stamp.enabled=false",
            "quire.fallback.mode=loopback",
            "quire.content-types=text/html,application/json",
            "quire.fallback.variables.SITE=night of the elections"
        })
class LoopbackLanguageTest extends LanguageTest {

    /** As in any external request, Tomcat has consumed the body. */
    @Override
    String formReadAsParameters() {
        return "";
    }
}
