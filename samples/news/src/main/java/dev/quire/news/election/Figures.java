package dev.quire.news.election;

import java.util.Locale;
import org.springframework.stereotype.Component;

/** How numbers are printed, in Java and in templates (as {@code @figures}). */
@Component
public class Figures {
    /** A whole number with commas between thousands. */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** One decimal, cut off instead of rounded: 99.99% counted is not 100. */
    public static String percent(double percent) {
        return String.format(Locale.ROOT, "%.1f", Math.floor(percent * 10 + 1e-9) / 10);
    }

    /** Two decimals, for shares that lie close together. */
    public static String share(double percent) {
        return String.format(Locale.ROOT, "%.2f", percent);
    }
}
