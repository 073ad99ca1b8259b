package dev.quire.news.reader;

import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Who may log in. The accounts are for trying the site out: the login page shows them.
 *
 * @param readers passwords by name
 * @param editors likewise, of those who may change the paper
 */
@ConfigurationProperties("news")
record ReaderProperties(Map<String, String> readers, Map<String, String> editors) {
    ReaderProperties {
        readers = Map.copyOf(readers);
        editors = Map.copyOf(editors);
    }
}
