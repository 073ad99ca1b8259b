package dev.quire.core.http;

/** The two schemes Quire serves and fetches (RFC 9110 §4.2). */
public enum Scheme {
    HTTP("http", 80),
    HTTPS("https", 443);

    private final String text;
    private final int defaultPort;
    private final String defaultPortText;

    Scheme(String text, int defaultPort) {
        this.text = text;
        this.defaultPort = defaultPort;
        this.defaultPortText = Integer.toString(defaultPort);
    }

    /** Returns the scheme as written in a URI, in lower case. */
    public String text() {
        return text;
    }

    /** Returns the port used if an authority has none. */
    public int defaultPort() {
        return defaultPort;
    }

    public String defaultPortText() {
        return defaultPortText;
    }
}
