package dev.quire.core.rule;

import java.util.Locale;

/** The class of a client's device, from its {@code User-Agent}. */
public enum DeviceClass {
    PHONE,
    TABLET,
    DESKTOP,
    BOT;

    /** Returns the class for {@code agent}; without a known word it is a desktop. */
    public static DeviceClass of(String agent) {
        var words = agent.toLowerCase(Locale.ROOT);
        if (hasAny(words, "bot", "crawl", "spider", "slurp", "mediapartners", "facebookexternal")) {
            return BOT;
        }
        boolean isMobile = hasAny(words, "mobile", "phone", "ipod", "opera mini", "blackberry");
        boolean isTablet =
                hasAny(words, "ipad", "tablet", "kindle", "silk/", "playbook")
                        || (words.contains("android") && !isMobile);
        if (isTablet) {
            return TABLET;
        }
        return isMobile ? PHONE : DESKTOP;
    }

    private static boolean hasAny(String text, String... words) {
        for (var word : words) {
            if (text.contains(word)) {
                return true;
            }
        }
        return false;
    }

    /** The name in expressions, such as {@code phone}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
