package dev.quire.proxy.exchange;

/** Receives the field lines of one response head, in the order in which they are sent. */
public interface HeadLines {

    /**
     * Adds one line.
     *
     * @param value in ISO 8859-1
     */
    void line(CharSequence name, String value);

    /** Adds a line whose value ends in {@code number}, without creating a string. */
    void line(CharSequence name, CharSequence value, long number);
}
