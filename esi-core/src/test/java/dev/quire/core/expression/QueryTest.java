package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QueryTest {
    private static final int ROUNDS = 50_000;
    private static final List<String> TOKENS =
            List.of("id", "i", "%69d", "a+b", "a%20b", "%", "&", "=", "&", "1");

    @Test
    void theFirstArgumentOfANameIsThatOfAllArguments() {
        var random = new Random(1);
        int found = 0;
        for (int i = 0; i < ROUNDS; i++) {
            var query = new StringBuilder();
            for (int j = random.nextInt(7); j > 0; j--) {
                query.append(TOKENS.get(random.nextInt(TOKENS.size())));
            }
            var all = Query.allDecoded(query.toString());
            for (var name : List.of("id", "a b", "%", "1")) {
                var first = Query.firstDecodedOf("/path?" + query, name);

                assertThat(first).describedAs("%s of %s", name, query).isEqualTo(all.get(name));
                found += first == null ? 0 : 1;
            }
        }
        assertThat(found).isGreaterThan(ROUNDS / 10);
    }

    @Test
    void aTargetWithoutQueryHasNoArguments() {
        assertThat(Query.firstDecodedOf("/id=1", "id")).isNull();
        assertThat(Query.firstDecodedOf("/id?", "id")).isNull();
    }
}
