package dev.quire.spring;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** Compresses responses, as filters of applications do. */
final class Zip implements Filter {
    private final boolean isPolite;

    /**
     * A filter.
     *
     * @param isPolite whether it compresses only if the request has Accept-Encoding
     */
    Zip(boolean isPolite) {
        this.isPolite = isPolite;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (isPolite && ((HttpServletRequest) request).getHeader("Accept-Encoding") == null) {
            chain.doFilter(request, response);
            return;
        }
        var zipped = new Zipped((HttpServletResponse) response);
        try {
            chain.doFilter(request, zipped);
        } finally {
            zipped.end();
        }
    }

    private static final class Zipped extends HttpServletResponseWrapper {

        private final GZIPOutputStream zip;
        private final PrintWriter writer;

        Zipped(HttpServletResponse response) throws IOException {
            super(response);
            response.setHeader("Content-Encoding", "gzip");
            this.zip = new GZIPOutputStream(response.getOutputStream(), true);
            this.writer =
                    new PrintWriter(new OutputStreamWriter(zip, StandardCharsets.UTF_8), false);
        }

        void end() throws IOException {
            writer.flush();
            zip.finish();
        }

        @Override
        public void setContentLength(int length) {}

        @Override
        public void setContentLengthLong(long length) {}

        @Override
        public void setHeader(String name, String value) {
            if (!name.equalsIgnoreCase("Content-Length")) {
                super.setHeader(name, value);
            }
        }

        @Override
        public void addHeader(String name, String value) {
            if (!name.equalsIgnoreCase("Content-Length")) {
                super.addHeader(name, value);
            }
        }

        @Override
        public PrintWriter getWriter() {
            return writer;
        }

        @Override
        public ServletOutputStream getOutputStream() {
            return new ServletOutputStream() {
                @Override
                public void write(int value) throws IOException {
                    zip.write(value);
                }

                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public void setWriteListener(WriteListener listener) {
                    throw new UnsupportedOperationException();
                }
            };
        }
    }
}
