package dev.quire.news.reader;

import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The accounts. They are for trying the site: the login page shows them.
 *
 * @param readers passwords by name
 * @param editors passwords by name, of users who may change articles
 */
@ConfigurationProperties("news")
record ReaderProperties(Map<String, String> readers, Map<String, String> editors) {
    ReaderProperties {
        readers = Map.copyOf(readers);
        editors = Map.copyOf(editors);
    }
}
