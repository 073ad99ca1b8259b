package dev.quire.bench;

import dev.quire.core.assemble.PageInputs;
import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.Evaluation.Problems;
import dev.quire.core.expression.RequestVariables;
import dev.quire.core.expression.VariableRules;
import dev.quire.core.expression.Variables;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;

/** A browser's request, parsed again for each page. */
final class Asking implements PageInputs {
    private static final RequestVariables.Rules RULES =
            new RequestVariables.Rules(VariableRules.STANDARD);
    private static final RequestHead REQUEST =
            new RequestHead(
                    "GET",
                    Scheme.HTTP,
                    "example.test",
                    "/page?edition=night&n=7",
                    Fields.of(
                            "Host", "example.test",
                            "User-Agent",
                                    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101",
                            "Accept", "text/html,application/xhtml+xml",
                            "Accept-Language", "de-CH,de;q=0.9,en;q=0.5",
                            "Cookie", "SESSION=1a2b3c4d; group=Advanced; region=ZH; age=21",
                            "Referer", "http://example.test/"));

    private final RequestVariables variables =
            new RequestVariables(REQUEST, "192.0.2.7", RULES, Optional.empty());
    private final Random random;

    Asking(Random random) {
        this.random = random;
    }

    @Override
    public Evaluation evaluation(Problems problems) {
        return new Evaluation(Instant.EPOCH, random, problems);
    }

    @Override
    public Variables variables(CacheKey key) {
        return variables.of(key);
    }
}
