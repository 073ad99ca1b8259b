package dev.quire.core.http;

/** The characters of field names and field values (RFC 9110 §5.1, §5.5, §5.6.2). */
public final class FieldSyntax {
    private static final String SYMBOLS = "!#$%&'*+-.^_`|~";
    private static final boolean[] TOKEN = new boolean[128];

    static {
        for (char c = 0; c < TOKEN.length; c++) {
            TOKEN[c] =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || (c >= '0' && c <= '9')
                            || SYMBOLS.indexOf(c) >= 0;
        }
    }

    private FieldSyntax() {}

    /** Whether {@code c} may be part of a token: a method or a field name. */
    public static boolean isTokenChar(int c) {
        return c >= 0 && c < TOKEN.length && TOKEN[c];
    }

    public static boolean isToken(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isTokenChar(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /**
     * Whether {@code name} is a field name that every server interprets alike: a token without an
     * underscore, which CGI and its successors confuse with a hyphen.
     */
    public static boolean isName(String name) {
        return isToken(name) && name.indexOf('_') < 0;
    }

    /**
     * Whether {@code c} may be part of a field value: any character except controls other than tab.
     */
    public static boolean isValueChar(int c) {
        return (c >= ' ' && c != 0x7f) || c == '\t';
    }

    /** Whether {@code value} is a field value in ISO 8859-1. */
    public static boolean isValue(CharSequence value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (!isValueChar(c) || c > 0xff) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number in {@code digits}, at most {@code most}; -1 if it is not all digits. */
    public static long number(String digits, long most) {
        long number = digits.isEmpty() ? -1 : 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number > (most - digit) / 10 ? most : number * 10 + digit;
        }
        return number;
    }
}
