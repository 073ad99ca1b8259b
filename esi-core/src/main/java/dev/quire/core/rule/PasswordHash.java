package dev.quire.core.rule;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A bcrypt hash as {@code htpasswd -B} writes it. Its text is a secret that is never shown.
 *
 * @param text {@code $2a$}, {@code $2b$} or {@code $2y$}, the cost, {@code $}, salt and digest
 */
public record PasswordHash(String text) {

    /** The largest cost: a check of this cost takes about a second. */
    public static final int MAX_COST = 14;

    private static final Pattern FORM =
            Pattern.compile("\\$2[aby]\\$(0[4-9]|1[0-4])\\$[./A-Za-z0-9]{53}");
    private static final int COST_AT = 4;

    public PasswordHash {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException("not a bcrypt hash");
        }
    }

    /** Returns the hash that {@code text} is; nothing if it is not one. */
    public static Optional<PasswordHash> of(String text) {
        return FORM.matcher(text).matches()
                ? Optional.of(new PasswordHash(text))
                : Optional.empty();
    }

    /** Returns a hash of an unknown password, whose check takes as long as {@code cost} says. */
    static PasswordHash standIn(int cost) {
        return new PasswordHash("$2b$%02d$%s".formatted(cost, "u".repeat(53)));
    }

    /** The logarithm of the number of rounds. */
    public int cost() {
        return Integer.parseInt(text.substring(COST_AT, COST_AT + 2));
    }

    @Override
    public String toString() {
        return "PasswordHash[cost=" + cost() + "]";
    }
}
