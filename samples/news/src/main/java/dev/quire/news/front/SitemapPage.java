package dev.quire.news.front;

import dev.quire.news.article.Articles;
import dev.quire.spring.EsiFragment;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** {@code /sitemap.xml}: the addresses of all articles, for crawlers and load tools. */
@Controller
class SitemapPage {
    private final Articles articles;

    SitemapPage(Articles articles) {
        this.articles = articles;
    }

    @GetMapping(path = "/sitemap.xml", produces = MediaType.APPLICATION_XML_VALUE)
    @ResponseBody
    @EsiFragment(ttl = "1h", stale = "10m", staleIfError = "1d", tags = "sitemap")
    String sitemap() {
        // Host and port are part of the cache key of a page.
        String site = ServletUriComponentsBuilder.fromCurrentContextPath().toUriString();
        var xml = new StringBuilder(2_000_000);
        xml.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        xml.append("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
        for (var id : articles.ids()) {
            xml.append("<url><loc>").append(site);
            xml.append("/main/read.nhn?oid=").append(id.oid());
            xml.append("&amp;aid=").append(id.aid()).append("</loc></url>\n");
        }
        return xml.append("</urlset>\n").toString();
    }
}
