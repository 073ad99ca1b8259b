package dev.quire.core.assemble;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Searches for documents that cannot be assembled, or whose result depends on the order in which
 * fragments arrive. Known documents are in the resources of this package, separated by {@code %%},
 * the page first, the others at {@code /1}, {@code /2} and so on. {@code bin/fuzz} searches for
 * more.
 */
class AssemblerFuzzTest {

    /**
     * Random numbers, and inline documents, which only exist once their element has been planned.
     */
    private static final List<String> DEPENDS_ON_ORDER = List.of("rand(", "esi:inline");

    @FuzzTest
    void anySite(byte[] data) {
        var text = new String(data, ISO_8859_1);
        var site = new Site(documents(text));

        var one = site.assembled(1, ErrorPolicy.OMIT);
        var other = site.assembled(2, ErrorPolicy.OMIT);
        site.assembled(3, ErrorPolicy.FAIL);

        boolean isLimited =
                !one.problems.isEmpty()
                        || !other.problems.isEmpty()
                        || one.omitted.contains(Failure.Kind.BUDGET)
                        || other.omitted.contains(Failure.Kind.BUDGET);
        if (!isLimited && DEPENDS_ON_ORDER.stream().noneMatch(text::contains)) {
            assertThat(other.output()).isEqualTo(one.output());
            assertThat(other.failures.isEmpty()).isEqualTo(one.failures.isEmpty());
        }
    }

    private static Map<String, String> documents(String text) {
        var documents = new HashMap<String, String>();
        for (var document : text.split("%%", -1)) {
            documents.put(documents.isEmpty() ? "/" : "/" + documents.size(), document);
        }
        return documents;
    }
}
