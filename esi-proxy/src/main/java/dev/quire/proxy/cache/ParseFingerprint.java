package dev.quire.proxy.cache;

import dev.quire.proxy.route.EsiProcessing;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a route that decide how its responses are parsed. A stored response is used only
 * under equal ones: parsed under others it might have other tags, or none.
 */
public final class ParseFingerprint {
    private final EsiProcessing esi;
    private final DocumentRules documents;
    private final String deviceToken;

    /** Compared for each response that is stored. */
    private final int hash;

    ParseFingerprint(EsiProcessing esi, DocumentRules documents, String deviceToken) {
        this.esi = esi;
        this.documents = documents;
        this.deviceToken = deviceToken;
        this.hash = Objects.hash(esi, documents, deviceToken);
    }

    DocumentRules documents() {
        return documents;
    }

    /** Adds all of these settings to {@code sum}. */
    void addTo(RecordHash.Sum sum) {
        sum.add(esi.name()).add(deviceToken);
        documents.addTo(sum);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof ParseFingerprint same
                        && hash == same.hash
                        && esi == same.esi
                        && documents.equals(same.documents)
                        && deviceToken.equals(same.deviceToken));
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
