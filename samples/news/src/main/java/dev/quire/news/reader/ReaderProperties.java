package dev.quire.news.reader;

import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Who may log in. The accounts are for trying the site out: the login page shows them.
 *
 * @param readers passwords by name
 */
@ConfigurationProperties("news")
record ReaderProperties(Map<String, String> readers) {
    ReaderProperties {
        readers = Map.copyOf(readers);
    }
}
