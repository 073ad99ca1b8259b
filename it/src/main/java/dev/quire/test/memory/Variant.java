package dev.quire.test.memory;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.SignedVariant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;

/** Which variant of its pages a reader gets. */
final class Variant {
    private Variant() {}

    /**
     * {@code received} as everybody behind us is to see it: with what the application has signed
     * into the reader's cookie, and nothing that the reader says.
     */
    static Fields said(Fields received, Optional<SignedVariant.Key> key, Instant wall) {
        var others = received.without(SignedVariant.FIELD::equalsIgnoreCase);
        if (key.isEmpty()) {
            return others;
        }
        var variant =
                only(received, key.get().cookie())
                        .flatMap(cookie -> key.get().verify(cookie, wall))
                        .map(SignedVariant::payload)
                        .orElse(SignedVariant.NONE);
        return new Fields.Builder().addAll(others).add(SignedVariant.FIELD, variant).build();
    }

    /** The value of the one cookie called {@code name}; empty if there is none, or more. */
    private static Optional<String> only(Fields received, String name) {
        var found = new ArrayList<String>();
        for (var line : received.all("Cookie")) {
            for (var pair : FieldList.split(line, ';')) {
                if (pair.startsWith(name + "=")) {
                    found.add(pair.substring(name.length() + 1));
                }
            }
        }
        return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
    }
}
